package dialect

import (
	"bytes"
	"strconv"

	"tapedeck/schema"
)

// Head is the head of an HTTP request or of its answer, as a proxy recorded it. It aliases the
// frame.
type Head struct {
	Method, Path []byte // of a request; the path without its query
	Status       int    // of an answer
	fields       []byte
}

// HeadOf reads a frame as a head; ok is false for every other frame. The Input.Data of a head is
// empty.
func HeadOf(in *Input) (h Head, ok bool) {
	if in.Transport != schema.HTTP || !in.Flags.Has(schema.FlagNote) {
		return Head{}, false
	}
	line, fields, _ := bytes.Cut(in.Raw, []byte("\r\n"))
	first, rest, _ := bytes.Cut(line, []byte(" "))
	second, version, _ := bytes.Cut(rest, []byte(" "))
	switch {
	case bytes.HasPrefix(first, []byte("HTTP/")):
		h.Status, _ = strconv.Atoi(Alias(second))
		ok = h.Status != 0
	case bytes.HasPrefix(version, []byte("HTTP/")):
		h.Method = first
		h.Path, _, _ = bytes.Cut(second, []byte("?"))
		ok = true
	}
	h.fields = fields
	return h, ok
}

// Field returns the first field of a name, in any case, or nil.
func (h *Head) Field(name string) []byte {
	rest := h.fields
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			return bytes.TrimSpace(value)
		}
	}
	return nil
}
