package terminal

import (
	"bytes"
	"unicode/utf8"
)

// key is a pressed key: a rune, or one of these constants.
type key rune

const (
	keyNone key = -iota
	keyUp
	keyDown
	keyLeft
	keyRight
	keyHome
	keyEnd
	keyEscape
	keyEnter
	keyBackspace
	keyInterrupt // Ctrl-C
	keyRedraw    // Ctrl-L
)

// keys decodes keys from the input of a terminal.
type keys struct {
	pending []byte
	waited  bool // no input since the last call of settle
}

// feed takes bytes and returns the completed keys.
func (k *keys) feed(p []byte) (list []key) {
	k.pending, k.waited = append(k.pending, p...), false
	for len(k.pending) > 0 {
		found, n := next(k.pending)
		if n == 0 {
			break // the sequence is incomplete
		}
		k.pending = k.pending[n:]
		if found != keyNone {
			list = append(list, found)
		}
	}
	return list
}

// settle is called at intervals. A sequence that has not continued since the previous call is
// complete. An escape character that began no sequence is the escape key.
func (k *keys) settle() (list []key) {
	switch {
	case len(k.pending) == 0:
		k.waited = false
		return nil
	case !k.waited:
		k.waited = true
		return nil
	case len(k.pending) == 1 && k.pending[0] == 0x1b:
		list = []key{keyEscape}
	}
	k.pending, k.waited = nil, false
	return list
}

// next returns the first key of b and its length in bytes; 0 if the key is incomplete.
func next(b []byte) (key, int) {
	switch b[0] {
	case 0x1b:
		return escape(b)
	case '\r', '\n':
		return keyEnter, 1
	case 0x7f, '\b':
		return keyBackspace, 1
	case 0x03:
		return keyInterrupt, 1
	case 0x0c:
		return keyRedraw, 1
	}
	if b[0] < ' ' {
		return keyNone, 1
	}
	if !utf8.FullRune(b) {
		return keyNone, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError {
		return keyNone, n
	}
	return key(r), n
}

// escape parses a sequence: ESC [ parameters letter, or ESC O letter.
func escape(b []byte) (key, int) {
	if len(b) < 2 {
		return keyNone, 0
	}
	if b[1] == 0x1b {
		return keyEscape, 1
	}
	if b[1] != '[' && b[1] != 'O' {
		return keyNone, 2 // a key with Alt
	}
	at := bytes.IndexFunc(b[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	if at < 0 {
		if len(b) > 32 {
			return keyNone, len(b)
		}
		return keyNone, 0
	}
	n := 2 + at + 1
	switch b[n-1] {
	case 'A':
		return keyUp, n
	case 'B':
		return keyDown, n
	case 'C':
		return keyRight, n
	case 'D':
		return keyLeft, n
	case 'H':
		return keyHome, n
	case 'F':
		return keyEnd, n
	case '~':
		switch string(b[2 : n-1]) {
		case "1", "7":
			return keyHome, n
		case "4", "8":
			return keyEnd, n
		}
	}
	return keyNone, n
}
