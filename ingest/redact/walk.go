package redact

import (
	"bytes"
	"encoding/json"
	"slices"

	"tapedeck/internal/jsonstring"
	"tapedeck/schema"
)

// leaf is a text in a frame: a string of its JSON, or the whole of a frame that is not JSON.
type leaf struct {
	from, to int    // range of the text in Raw, without quotes
	path     uint64 // hash of the names of the members that lead to the text
	name     bool   // the text is the name of a member
	whole    bool   // no other frame continues the text
	member   int32  // 1 + the index of the text's name in walker.members; 0 for none
}

// shortest is the minimum length of a secret, bytes.
const shortest = declaredLeast

// walker finds the texts of a frame.
type walker struct {
	leaves   []leaf
	members  []span // the names of members, if the frame may contain secrets
	identity uint64 // hash of the values that identify the message, 0 for none
	stack    []level
	numbers  []span  // numbers that do not identify a message, collected with growing texts
	plain    [2]bool // by direction: the last frame was plain text, or a string or number that followed plain text
}

// span is the range of bytes [from, to) of a frame.
type span struct{ from, to int }

type level struct {
	path   uint64
	object bool
	// named is 1 + the index in walker.members of the name that the next value has: the text of the
	// member "name" or "key", or in an array the previous flag; 0 for none.
	named int32
}

// walk finds the texts of a frame: all texts, or only those that grow over frames.
func (w *walker) walk(f *schema.Frame, growing bool) {
	w.leaves, w.numbers, w.members, w.identity = w.leaves[:0], w.numbers[:0], w.members[:0], 0
	raw := f.Raw
	if f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 || !structured(f, raw) {
		w.text(f, growing)
		return
	}
	plain := &w.plain[f.Direction&1]
	if *plain = mayBePiece(f, *plain); *plain {
		from, to := content(f)
		w.leaves = append(w.leaves, leaf{from: from, to: to, path: plainPath(f)})
	}
	if !w.json(raw, pathBegin(uint64(f.Direction)), growing) {
		w.leaves, w.numbers, w.identity = w.leaves[:0], w.numbers[:0], 0
		w.text(f, growing)
	}
}

// text adds the content of a frame as one text.
func (w *walker) text(f *schema.Frame, growing bool) {
	if !f.Flags.Has(schema.FlagNote) {
		w.plain[f.Direction&1] = true
	}
	from, to := content(f)
	w.around(0, from, growing)
	w.leaves = append(w.leaves, leaf{from: from, to: to, path: plainPath(f), whole: f.Flags.Has(schema.FlagNote)})
	w.around(to, len(f.Raw), growing)
}

// plainPath returns the path of texts that are not JSON.
func plainPath(f *schema.Frame) uint64 { return hashBegin + uint64(f.Direction) }

// Bounds on the structure of a frame. A frame that exceeds them is treated as one text.
const (
	leavesMost = 1 << 16
	levelsMost = 1 << 12
)

// structured reports whether a frame is probably JSON in the framing of its transport.
func structured(f *schema.Frame, raw []byte) bool {
	switch f.Transport {
	case schema.EventStream:
		return true
	case schema.SSE:
		at := bytes.Index(raw, []byte("data:"))
		if at < 0 {
			return false
		}
		raw = raw[at+len("data:"):]
	}
	if opens(raw) {
		return true
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	raw = bytes.TrimLeft(raw, " \t\r\n,\x1e")
	if len(raw) > 1 && (raw[0] >= '0' && raw[0] <= '9' || raw[0] >= 'a' && raw[0] <= 'g') && raw[1] == ':' {
		raw = raw[2:] // a line of the AI SDK's data stream: a type, a colon and JSON
	}
	// A number, true, false or null has no text, and a placeholder in it would not be valid JSON.
	return opens(raw) || f.Transport != schema.HTTP && len(raw) < 64 && json.Valid(raw)
}

// opens reports whether a text begins like JSON that may contain strings.
func opens(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[' || raw[0] == '"')
}

// json finds the strings of JSON. It is lenient: text around the JSON, such as the other fields of
// an event, becomes a text of its own. It returns false for JSON that exceeds the bounds.
func (w *walker) json(raw []byte, base uint64, growing bool) bool {
	w.stack = w.stack[:0]
	here := level{path: base}
	value := base // path of the next value
	expectName, whole, nameNumber := false, false, int32(0)
	i, outside := 0, 0 // outside is the offset of the text around the JSON
	for i < len(raw) {
		switch raw[i] {
		case '{', '[':
			switch len(w.stack) {
			case 0:
				w.around(outside, i, growing)
			case levelsMost:
				return false
			}
			whole, nameNumber = false, 0
			w.stack = append(w.stack, here)
			here = level{path: value, object: raw[i] == '{'}
			expectName = here.object
		case '}', ']':
			if n := len(w.stack); n > 0 {
				here, w.stack = w.stack[n-1], w.stack[:n-1]
				if n == 1 {
					outside = i + 1
				}
			}
			expectName, value = here.object, here.path
		case ',':
			expectName, value = here.object, here.path
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if growing && len(w.numbers) <= gapsMost { // with more numbers there is no layout
				from := i
				i = numberEnd(raw, from)
				w.numbers = append(w.numbers, span{from, i})
				continue
			}
		case '"':
			if len(w.leaves) >= leavesMost {
				return false
			}
			end := jsonstring.End(raw, i+1)
			text := raw[i+1 : end]
			if !expectName {
				if len(w.stack) == 0 {
					w.around(outside, i, growing)
					outside = end + 1
				}
				switch {
				case !whole:
					w.growing(i+1, end, value)
				case !growing:
					w.leaves = append(w.leaves, leaf{from: i + 1, to: end, path: value, whole: whole})
				}
				if !growing {
					here.named = w.memberOf(raw, nameNumber, here, span{i + 1, end})
				}
				nameNumber, i = 0, end+1
				continue
			}
			expectName = false
			if !growing {
				if end-i > shortest {
					w.leaves = append(w.leaves, leaf{from: i + 1, to: end, path: value, name: true, whole: true})
				}
				w.members = append(w.members, span{i + 1, end})
				nameNumber = int32(len(w.members))
			}
			name := hash(nameBegin, text)
			value = member(here.path, name)
			i = end + 1
			kind := names.kind(name)
			if whole = kind != 0; kind != identifies {
				continue
			}
			from, to := scalar(raw, i)
			if from == to {
				continue
			}
			w.identity ^= hash(value, raw[from:to])
			if growing {
				i = to
			}
			continue
		}
		i++
	}
	if len(w.stack) == 0 && outside > 0 { // a number alone is JSON and has no text
		w.around(outside, len(raw), growing)
	}
	return true
}

// memberOf sets the name of the last leaf, which is the value of a member or an element of an
// array. In an object with a member "name" or "key" followed by a member "value", the former names
// the latter. In an array of command arguments a flag names the next argument. memberOf returns the
// number of the name for the next value, 0 for none.
func (w *walker) memberOf(raw []byte, member int32, here level, text span) (named int32) {
	l := &w.leaves[len(w.leaves)-1]
	if member == 0 {
		if l.member = here.named; here.object || text.from == text.to || raw[text.from] != '-' {
			return 0
		}
		w.members = append(w.members, text)
		return int32(len(w.members))
	}
	l.member = member
	switch name := w.members[member-1]; string(raw[name.from:name.to]) {
	case "name", "key":
		w.members = append(w.members, text)
		return int32(len(w.members))
	case "value":
		if here.named > 0 {
			l.member = here.named
		}
	}
	return here.named
}

// growing adds a text that may grow over frames.
func (w *walker) growing(from, to int, path uint64) {
	n := len(w.leaves)
	if n == cap(w.leaves) {
		w.leaves = slices.Grow(w.leaves, 1)
	}
	w.leaves = w.leaves[:n+1]
	l := &w.leaves[n] // set in place: assigning a composite literal would copy it
	l.from, l.to, l.path, l.name, l.whole, l.member = from, to, path, false, false, 0
}

// around adds a text outside the JSON. Such a text does not grow over frames, so it is not needed
// for a frame without secrets.
func (w *walker) around(from, to int, growing bool) {
	if !growing && to-from >= shortest {
		w.leaves = append(w.leaves, leaf{from: from, to: to, whole: true})
	}
}

// numberEnd returns the end of the digits and dots that begin at byte i.
func numberEnd(raw []byte, i int) int {
	for i < len(raw) && (raw[i] >= '0' && raw[i] <= '9' || raw[i] == '.') {
		i++
	}
	return i
}

// scalar returns the range of the string, with its quotes, or the number that follows the name of a
// member. The name ends at byte i.
func scalar(raw []byte, i int) (from, to int) {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == ':') {
		i++
	}
	if i < len(raw) && raw[i] == '"' {
		return i, min(jsonstring.End(raw, i+1)+1, len(raw))
	}
	from = i
	for i < len(raw) && raw[i] >= '0' && raw[i] <= '9' {
		i++
	}
	return from, i
}
