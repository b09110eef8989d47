package anthropicagent

import (
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay/emulate"
)

// MaxChunk is the maximum size of an envelope, bytes of JSON: the specification's
// MAX_SSE_CHUNK_BYTES.
const MaxChunk = 2048

// envelope is an envelope without its delta.
type envelope struct {
	kind, agent string
	// extra has further members, as JSON without braces, such as `"id":"x"`.
	extra string
	// trailing is set if the members in extra come after the delta.
	trailing bool
}

// append appends one envelope as an SSE event.
func (e envelope) append(b []byte, final bool, delta string) []byte {
	b = append(b, "data: "...)
	return append(e.json(b, final, delta), "\n\n"...)
}

func (e envelope) json(b []byte, final bool, delta string) []byte {
	b = jsonstring.Append(append(b, `{"type":`...), e.kind)
	b = jsonstring.Append(append(b, `,"agent":`...), e.agent)
	b = append(b, `,"final":`...)
	if final {
		b = append(b, "true"...)
	} else {
		b = append(b, "false"...)
	}
	if e.extra != "" && !e.trailing {
		b = append(append(b, ','), e.extra...)
	}
	b = jsonstring.Append(append(b, `,"delta":`...), delta)
	if e.extra != "" && e.trailing {
		b = append(append(b, ','), e.extra...)
	}
	return append(b, '}')
}

// chunk appends a payload in as many envelopes as necessary, each at most MaxChunk, split between
// characters. The last one has final.
func (e envelope) chunk(b []byte, final bool, payload string) []byte {
	room := MaxChunk - len(e.json(nil, false, ""))
	for {
		n := fitting(payload, room)
		b = e.append(b, final && n == len(payload), payload[:n])
		if payload = payload[n:]; payload == "" {
			return b
		}
	}
}

// fitting returns the length of the longest prefix of text, in whole characters, that fits into so
// many bytes of JSON: at least one character, if there is one.
func fitting(s string, room int) int {
	for i, c := range s {
		size := utf8.RuneLen(c)
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			size = 2
		case c < ' ':
			size = 6
		case size < 0 || c == utf8.RuneError:
			size = 3
		}
		if room -= size; room < 0 && i > 0 {
			return i
		}
	}
	return len(s)
}

// rechunk appends an envelope that was recorded as a line, and splits the envelope if it is too
// large.
func rechunk(b []byte, v *fastjson.Value, line []byte) []byte {
	o, err := v.Object()
	if delta := v.Get("delta"); err != nil || len(line) <= MaxChunk || delta == nil ||
		delta.Type() != fastjson.TypeString {
		return append(append(append(b, "data: "...), line...), "\n\n"...)
	}
	e := envelope{kind: text(v, "type"), agent: text(v, "agent")}
	var extra []byte
	o.Visit(func(k []byte, member *fastjson.Value) {
		switch string(k) {
		case "type", "agent", "final", "delta":
			return
		}
		if extra != nil {
			extra = append(extra, ',')
		}
		extra = emulate.AppendJSON(append(jsonstring.Append(extra, string(k)), ':'), member)
	})
	e.extra = string(extra)
	return e.chunk(b, v.GetBool("final"), text(v, "delta"))
}

func text(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }
