package redact

import (
	"bytes"
	"encoding/json"

	"tapedeck/schema"
)

// leaf is a text inside a frame: a string of its JSON, or all of a frame that is not JSON.
type leaf struct {
	from, to int    // of the text in Raw, without quotes
	path     uint64 // of the names of the members that lead to it
	name     bool   // it is the name of a member
	whole    bool   // no other frame continues it
}

// Hashes are FNV-1a.
const (
	hashBegin = 14695981039346656037
	hashPrime = 1099511628211
)

func hash(h uint64, text []byte) uint64 {
	for _, c := range text {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// shortest is the length of the shortest secret, bytes.
const shortest = declaredLeast

// walker finds the texts of a frame.
type walker struct {
	leaves   []leaf
	identity uint64 // of the values that name the message, 0 for none
	stack    []level
}

type level struct {
	path   uint64
	object bool
}

// walk finds the texts of a frame.
func (w *walker) walk(f *schema.Frame) {
	w.leaves, w.identity = w.leaves[:0], 0
	raw := f.Raw
	if f.Flags&(schema.FlagOversize|schema.FlagNote) != 0 || !structured(f, raw) {
		w.leaves = append(w.leaves, leaf{0, len(raw), (hashBegin + uint64(f.Direction)), false, f.Flags.Has(schema.FlagNote)})
		return
	}
	w.json(raw, pathBegin(uint64(f.Direction)))
}

// structured reports whether a frame is likely JSON in the framing of its transport.
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
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	raw = bytes.TrimLeft(raw, " \t\r\n,\x1e")
	if len(raw) > 1 && (raw[0] >= '0' && raw[0] <= '9' || raw[0] >= 'a' && raw[0] <= 'g') && raw[1] == ':' {
		raw = raw[2:] // a line of the AI SDK's data stream: a kind, a colon and JSON
	}
	if f.Transport != schema.HTTP && len(raw) < 64 && json.Valid(raw) {
		return true // a number, true, false, null: it has no text, and a placeholder would be no JSON
	}
	return len(raw) > 0 && (raw[0] == '{' || raw[0] == '[' || raw[0] == '"')
}

// json finds the strings of JSON. It is lenient: what stands around the JSON is passed over.
func (w *walker) json(raw []byte, base uint64) {
	w.stack = w.stack[:0]
	here := level{path: base}
	value := base // path of the next value
	expectName, whole := false, false
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '{', '[':
			whole = false
			w.stack = append(w.stack, here)
			here = level{value, raw[i] == '{'}
			expectName = here.object
		case '}', ']':
			if n := len(w.stack); n > 0 {
				here, w.stack = w.stack[n-1], w.stack[:n-1]
			}
			expectName, value = here.object, here.path
		case ',':
			expectName, value = here.object, here.path
		case '"':
			end := stringEnd(raw, i+1)
			text := raw[i+1 : end]
			if !expectName {
				w.leaves = append(w.leaves, leaf{i + 1, end, value, false, whole})
				i = end + 1
				continue
			}
			expectName = false
			if end-i > shortest {
				w.leaves = append(w.leaves, leaf{i + 1, end, value, true, true})
			}
			value = hash(here.path+1, text)
			i = end + 1
			if whole = identifies(text); whole {
				w.identify(raw, i, value)
			}
			whole = whole || string(text) == "type" || string(text) == "role" || string(text) == "model"
			continue
		}
		i++
	}
}

// stringEnd returns the place of the quote that ends the string whose text begins at i.
func stringEnd(raw []byte, i int) int {
	for {
		n := bytes.IndexByte(raw[i:], '"')
		if n < 0 {
			return len(raw)
		}
		i += n
		escapes := 0
		for j := i - 1; j >= 0 && raw[j] == '\\'; j-- {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
		i++
	}
}

// identify adds the scalar behind the name that ends at i to the frame's identity.
func (w *walker) identify(raw []byte, i int, path uint64) {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == ':') {
		i++
	}
	end := i
	if i < len(raw) && raw[i] == '"' {
		end = stringEnd(raw, i+1)
	} else {
		for end < len(raw) && (raw[end] >= '0' && raw[end] <= '9') {
			end++
		}
	}
	if end > i {
		w.identity ^= hash(path, raw[i:end])
	}
}

// identifies reports whether a member names the message that a text belongs to.
func identifies(name []byte) bool {
	switch string(name) {
	case "id", "index", "content_index", "contentIndex", "output_index", "item_id", "itemId", "message_id", "messageId",
		"tool_call_id", "toolCallId", "call_id", "callId", "tool_use_id", "parent_tool_use_id", "node", "node_id", "agent", "agent_id",
		"run_id", "runId", "thread_id", "threadId", "session_id", "sessionId", "part_id", "partID", "messageID":
		return true
	}
	return false
}
