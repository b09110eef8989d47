package loom

import (
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay/emulate"
)

// names lists the types of the specification, each with its key in the single-key form
// (section 6).
var names = [][2]string{
	{"run_start", "RunStart"}, {"node_enter", "TaskStart"}, {"node_exit", "TaskEnd"}, {"message_chunk", "Messages"},
	{"usage", "Usage"}, {"values", "Values"}, {"updates", "Updates"},
	{"custom", "Custom"}, {"checkpoint", "Checkpoint"},
	{"tot_expand", "TotExpand"}, {"tot_evaluate", "TotEvaluate"}, {"tot_backtrack", "TotBacktrack"},
	{"got_plan", "GotPlan"}, {"got_node_start", "GotNodeStart"}, {"got_node_complete", "GotNodeComplete"},
	{"got_node_failed", "GotNodeFailed"}, {"got_expand", "GotExpand"},
	{"tool_call_chunk", "ToolCallChunk"}, {"tool_call", "ToolCall"}, {"tool_start", "ToolStart"},
	{"tool_output", "ToolOutput"}, {"tool_end", "ToolEnd"}, {"tool_approval", "ToolApproval"},
}

var keyOf, typeOf = map[string]string{"thought_chunk": "Messages"}, map[string]string{}

func init() {
	for _, n := range names {
		keyOf[n[0]], typeOf[n[1]] = n[1], n[0]
	}
}

// renamed lists the types whose payload has a member id that the single-key form calls node_id.
var renamed = map[string]bool{
	"node_enter": true, "node_exit": true, "updates": true,
	"got_node_start": true, "got_node_complete": true, "got_node_failed": true,
}

// envelope lists the members that the single-key form lacks.
var envelope = map[string]bool{"session_id": true, "node_id": true, "event_id": true, "type": true}

// ToExport converts an event of the specification's form to the single-key form, which has no
// envelope. It returns an error for a type that the single-key form lacks.
func ToExport(event []byte) ([]byte, error) {
	v, err := fastjson.ParseBytes(event)
	if err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	kind := text(v, "type")
	key, ok := keyOf[kind]
	if !ok {
		return nil, fmt.Errorf("the single-key form has no %q", kind)
	}
	b := append([]byte(`{"`), key...)
	b = append(b, `":`...)
	switch kind {
	case "values":
		b = appendMember(b, v, "state")
	case "custom":
		b = appendMember(b, v, "value")
	case "message_chunk", "thought_chunk":
		b = append(b, `{"chunk":{"content":`...)
		b = appendMember(b, v, "content")
		b = append(b, `,"kind":"`...)
		if kind == "thought_chunk" {
			b = append(b, "Thinking"...)
		} else {
			b = append(b, "Message"...)
		}
		b = append(b, `"},"metadata":{"loom_node":`...)
		b = appendMember(b, v, "id")
		b = append(b, `,"namespace":`...)
		b = append(appendMember(b, v, "namespace"), "}}"...)
	default:
		m := members{b: append(b, '{')}
		v.GetObject().Visit(func(k []byte, value *fastjson.Value) {
			name := string(k)
			switch {
			case envelope[name] && !(kind == "got_expand" && name == "node_id"):
			case renamed[kind] && name == "id":
				m.add("node_id", value)
			default:
				m.add(name, value)
			}
		})
		if (kind == "node_enter" || kind == "node_exit" || kind == "updates") && v.Get("namespace") == nil {
			m.add("namespace", nil)
		}
		b = append(m.b, '}')
	}
	return append(b, '}'), nil
}

// FromExport converts an event of the single-key form to the specification's form. Its envelope
// consists of the members beside the key, of which there are usually none.
func FromExport(event []byte) ([]byte, error) {
	v, err := fastjson.ParseBytes(event)
	if err != nil {
		return nil, fmt.Errorf("read an event: %w", err)
	}
	return fromExport(v)
}

func fromExport(v *fastjson.Value) ([]byte, error) {
	if formOf(v) != exported {
		return nil, errors.New("this is not an event of the single-key form")
	}
	var key string
	var payload *fastjson.Value
	m := members{b: []byte("{")}
	v.GetObject().Visit(func(k []byte, value *fastjson.Value) {
		switch {
		case key == "" && len(k) > 0 && k[0] >= 'A' && k[0] <= 'Z':
			key, payload = string(k), value
		case envelope[string(k)]:
			m.add(string(k), value)
		}
	})
	kind, known := typeOf[key]
	if !known {
		kind = snake(key)
	}
	if key == "Messages" && text(payload, "chunk", "kind") == "Thinking" {
		kind = "thought_chunk"
	}
	m.text("type", kind)
	switch {
	case key == "Values":
		m.add("state", payload)
	case key == "Custom":
		m.add("value", payload)
	case key == "Messages":
		m.add("content", payload.Get("chunk", "content"))
		m.add("id", payload.Get("metadata", "loom_node"))
		m.addUnlessNull("namespace", payload.Get("metadata", "namespace"))
	case payload.Type() != fastjson.TypeObject:
		m.add("value", payload)
	default:
		payload.GetObject().Visit(func(k []byte, value *fastjson.Value) {
			switch name := string(k); {
			case renamed[kind] && name == "node_id":
				m.add("id", value)
			case name == "namespace":
				m.addUnlessNull(name, value)
			default:
				m.add(name, value)
			}
		})
	}
	return append(m.b, '}'), nil
}

// Wrap returns the message in which a server sends an event in the specification's form.
func Wrap(run string, event []byte) []byte {
	m := members{b: []byte("{")}
	m.text("type", "run_stream_event")
	m.text("id", run)
	return append(append(append(m.b, `,"event":`...), event...), '}')
}

// Unwrap returns the event in a server's message.
func Unwrap(message []byte) (run string, event []byte, err error) {
	v, err := fastjson.ParseBytes(message)
	if err != nil {
		return "", nil, fmt.Errorf("read a message: %w", err)
	}
	if formOf(v) != wrapped || v.Get("event") == nil {
		return "", nil, errors.New("this is not a run_stream_event")
	}
	return text(v, "id"), emulate.AppendJSON(nil, v.Get("event")), nil
}

// endOf converts a reply line to a run_end, or a run_end to a reply line.
func endOf(v *fastjson.Value, run string) []byte {
	m := members{b: []byte("{")}
	m.text("type", "run_end")
	m.text("id", run)
	v.GetObject().Visit(func(k []byte, value *fastjson.Value) {
		if name := string(k); name != "type" && name != "id" && name != "stop_reason" {
			m.add(name, value)
		}
	})
	return append(m.b, '}')
}

func replyOf(end *fastjson.Value) []byte {
	m := members{b: []byte("{")}
	end.GetObject().Visit(func(k []byte, value *fastjson.Value) {
		if name := string(k); name != "type" && name != "id" {
			m.add(name, value)
		}
	})
	return append(m.b, '}')
}

// errorOf returns the error message for a failure; run may be empty.
func errorOf(run, why string) []byte {
	m := members{b: []byte("{")}
	m.text("type", "error")
	if run != "" {
		m.text("id", run)
	}
	m.text("error", why)
	return append(m.b, '}')
}

// members builds the members of an object.
type members struct{ b []byte }

func (m *members) name(name string) {
	if m.b[len(m.b)-1] != '{' {
		m.b = append(m.b, ',')
	}
	m.b = append(jsonstring.Append(m.b, name), ':')
}

func (m *members) add(name string, v *fastjson.Value) {
	m.name(name)
	if v == nil {
		m.b = append(m.b, "null"...)
		return
	}
	m.b = emulate.AppendJSON(m.b, v)
}

func (m *members) addUnlessNull(name string, v *fastjson.Value) {
	if v != nil && v.Type() != fastjson.TypeNull {
		m.add(name, v)
	}
}

func (m *members) text(name, value string) {
	m.name(name)
	m.b = jsonstring.Append(m.b, value)
}

func (m *members) raw(name string, json []byte) {
	m.name(name)
	m.b = append(m.b, json...)
}

func appendMember(b []byte, v *fastjson.Value, name string) []byte {
	if member := v.Get(name); member != nil {
		return emulate.AppendJSON(b, member)
	}
	return append(b, "null"...)
}

// snake converts SomeName to some_name.
func snake(s string) string {
	var b strings.Builder
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
