package terminal

import (
	"slices"
	"testing"
)

func TestKeys(t *testing.T) {
	for text, want := range map[string][]key{
		"q":                          {'q'},
		" .g":                        {' ', '.', 'g'},
		"\x1b[A\x1b[B\x1b[C\x1b[D":   {keyUp, keyDown, keyRight, keyLeft},
		"\x1bOA\x1bOH\x1bOF":         {keyUp, keyHome, keyEnd},
		"\x1b[1;5C":                  {keyRight},
		"\x1b[1~\x1b[4~\x1b[5~":      {keyHome, keyEnd},
		"\x1b":                       {keyEscape},
		"\x1b\x1b[A":                 {keyEscape, keyUp},
		"\x1bx":                      nil, // with Alt
		"\x03\x0c\r\n\x7f\b":         {keyInterrupt, keyRedraw, keyEnter, keyEnter, keyBackspace, keyBackspace},
		"é→":                         {'é', '→'},
		"\xff\x00\x1a":               nil,
		"\x1b[<35;1;1M":              nil, // a mouse
		"type:tool_call":             []key("type:tool_call"),
		"\x1b[200~x\x1b[201~":        {'x'},
		"\x1b[123456789;123456789;1": nil,
	} {
		var whole, single keys
		got := append(append(whole.feed([]byte(text)), whole.settle()...), whole.settle()...)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		got = nil
		for i := range len(text) {
			got = append(got, single.feed([]byte{text[i]})...)
		}
		if got = append(append(got, single.settle()...), single.settle()...); !slices.Equal(got, want) {
			t.Errorf("%q, byte by byte: got %v, want %v", text, got, want)
		}
	}
}

// Whatever is typed or pasted, keys are read and nothing is kept for long.
func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[A\x1b[1;5Cq\x1b"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var k keys
		k.feed(text)
		if len(k.pending) > 64 {
			t.Errorf("%d bytes are kept of %q", len(k.pending), text)
		}
		k.settle()
		k.settle()
		if len(k.pending) > 0 {
			t.Errorf("%q is kept after a while", k.pending)
		}
	})
}
