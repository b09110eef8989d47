package loom

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"

	"tapedeck/schema"
)

// run is a recorded run, and where it is on the tape.
type run struct {
	id      string // as the server called it, or made of the stream
	stream  string
	key     string // what its events have in common: the wrapper's id, or the session
	wrapped bool
	first   schema.Position // its first frame, or the request
	last    schema.Position
	asked   int64 // when it was asked for, ns: where the clock starts
	ended   bool  // its end is among the frames
	stayed  bool  // after its end something came on the same connection

	// Of the request; empty where it was not seen.
	message []byte // JSON
	said    string // the text of it
	thread  string

	reply string          // recorded, else the text of its last node
	text  strings.Builder // of its last node so far
	// What follows is for a run that has no end of its own.
	failed string // why its last node failed
	open   int    // nodes that were entered and not left
	whole  bool   // the stream ended in good order
	usage  [2][3]int64
	calls  int
}

// take reads an event into the run.
func (r *run) take(v *fastjson.Value) {
	switch text(v, "type") {
	case "run_start":
		if r.message == nil && v.Get("message") != nil {
			r.message, r.said = emulate.AppendJSON(nil, v.Get("message")), textOf(v.Get("message"))
		}
	case "node_enter":
		r.open++
		if !r.ended {
			r.text.Reset()
			r.failed = ""
		}
	case "node_exit":
		r.open--
		r.failed = text(v, "result", "Err")
	case "message_chunk":
		if !r.ended {
			r.text.WriteString(text(v, "content"))
		}
	case "usage":
		r.calls++
		for i, name := range usageNames {
			r.usage[0][i] = v.GetInt64(name)
			r.usage[1][i] += r.usage[0][i]
		}
	}
}

var usageNames = [3]string{"prompt_tokens", "completion_tokens", "total_tokens"}

// end is the message that ends a run which has no end of its own.
func (r *run) end() []byte {
	switch {
	case r.failed != "":
		return errorOf(r.id, r.failed)
	case r.wrapped || r.open > 0 || !r.whole:
		return errorOf(r.id, "the recording of this run breaks off here")
	}
	m := members{b: []byte("{")}
	m.text("type", "run_end")
	m.text("id", r.id)
	m.text("reply", r.reply)
	if r.calls > 0 {
		m.raw("usage", usageObject(r.usage[0]))
		m.raw("total_usage", usageObject(r.usage[1]))
	}
	return append(m.b, '}')
}

func usageObject(counts [3]int64) []byte {
	m := members{b: []byte("{")}
	var a fastjson.Arena
	for i, name := range usageNames {
		m.add(name, a.NewNumberString(itoa(counts[i])))
	}
	return append(m.b, '}')
}

// textOf is the text of a message: itself, or the texts of its parts.
func textOf(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return text(v)
	}
	var parts []string
	list := v.GetArray()
	if inner := v.GetArray("content"); inner != nil {
		list = inner
	}
	for _, p := range list {
		if s := text(p, "text"); s != "" {
			parts = append(parts, s)
		} else if p.Type() == fastjson.TypeString {
			parts = append(parts, text(p))
		}
	}
	return strings.Join(parts, "\n")
}
