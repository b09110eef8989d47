package compozy

import (
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// dialect is the dialect of streams recorded from Compozy.
const dialect = "compozy"

// event is one event of an execution, ready to be sent.
type event struct {
	id   int64
	name string
	wire []byte // as SSE
}

// eventWriter converts frames to the events of an execution, in order. Its output depends only on
// the frames, so that ids are equal in every playback.
type eventWriter struct {
	kind    string // workflows, agents, tasks
	exec    string
	native  bool // the session was recorded from Compozy
	parser  fastjson.Parser
	buf     []byte
	next    int64 // the next id
	begun   bool
	text    strings.Builder
	failed  string
	ended   bool             // the execution's final event was written
	script  script           // the entries of streams of other protocols
	highest map[string]int64 // native: highest id, by stream
	most    int64            // native: highest id in earlier streams
	firstAt int64
	lastAt  int64
}

func newEventWriter(kind, exec string, native bool, s script) *eventWriter {
	return &eventWriter{kind: kind, exec: exec, native: native, next: 1, script: s.copy(), highest: map[string]int64{}}
}

// take converts a frame to events.
func (t *eventWriter) take(f *replay.Frame) []event {
	if t.native {
		return t.recordedEvent(f)
	}
	var list []event
	if !t.begun {
		t.begun, t.firstAt = true, f.At
		list = t.start(f.At)
	}
	t.lastAt = f.At
	if f.Flags.Has(schema.FlagNote) || f.Direction == schema.Send {
		return list
	}
	if _, known := t.script[f.Stream.StreamID]; known {
		for _, c := range t.script.due(f) {
			list = t.add(list, c, f.At)
		}
		return list
	}
	return t.unknown(list, f)
}

// add appends the events for the content of an entry at a time.
func (t *eventWriter) add(list []event, c content, at int64) []event {
	switch {
	case c.fail != "":
		if t.failed == "" || !c.spans {
			t.failed = c.fail
		}
	case c.tool != nil:
		b := append(jsonstring.Append([]byte(`"toolName":`), c.tool.name), `,"args":`...)
		list = append(list, t.object("tool_call", append(b, c.tool.args...), at))
	case c.step != "":
		t.failed = "" // the execution continued
		if t.kind == "workflows" {
			list = append(list,
				t.object("workflow_status", jsonstring.Append([]byte(`"status":"RUNNING","step":`), c.step), at))
		}
	case c.text != "":
		t.failed = ""
		list = append(list, t.chunk(c.text, at))
	}
	return list
}

// unknown appends the event for a frame of a stream without facts.
func (t *eventWriter) unknown(list []event, f *replay.Frame) []event {
	var c schema.Content
	c, t.buf = schema.Unframe(&f.Frame, t.buf)
	if c.Empty {
		return list
	}
	v, err := t.parser.ParseBytes(c.Data)
	switch {
	case err == nil:
		return append(list,
			t.object("structured_delta", append([]byte(`"partial":`), emulate.AppendJSON(nil, v)...), f.At))
	case string(c.Data) != "[DONE]":
		return append(list, t.chunk(string(c.Data), f.At))
	}
	return list
}

// start returns the events with which an execution begins.
func (t *eventWriter) start(at int64) []event {
	switch t.kind {
	case "workflows":
		b := jsonstring.Append([]byte(`"workflowId":`), t.exec)
		b = jsonstring.Append(append(b, `,"workflow_id":`...), t.exec)
		b = jsonstring.Append(append(b, `,"execution_id":`...), t.exec)
		return []event{t.object("workflow_start", b, at), t.object("workflow_status", []byte(`"status":"RUNNING"`), at)}
	case "agents":
		return []event{t.object("agent_start", jsonstring.Append([]byte(`"agentId":`), t.exec), at)}
	}
	return nil
}

// end returns the execution's final event, if the frames had none.
func (t *eventWriter) end() []event {
	if t.ended || t.native || !t.begun {
		return nil
	}
	t.ended = true
	var list []event
	for _, c := range t.script.rest() {
		list = t.add(list, c, t.lastAt)
	}
	if t.failed != "" {
		b := jsonstring.Append([]byte(`"status":"FAILED","message":`), t.failed)
		return append(list, t.object("error", jsonstring.Append(append(b, `,"error":`...), t.failed), t.lastAt))
	}
	b := jsonstring.Append([]byte(`"status":"SUCCESS","result":{"text":`), t.text.String())
	b = strconv.AppendInt(append(b, `},"durationMs":`...), (t.lastAt-t.firstAt)/1e6, 10)
	return append(list, t.object("complete", b, t.lastAt))
}

// chunk returns the event for a piece of text.
func (t *eventWriter) chunk(text string, at int64) event {
	t.text.WriteString(text)
	if t.kind == "workflows" { // workflows always send objects
		return t.object("llm_chunk", jsonstring.Append([]byte(`"content":`), text), at)
	}
	return t.event("llm_chunk", []byte(text))
}

// object returns an event with a JSON object; members has no braces.
func (t *eventWriter) object(name string, members []byte, at int64) event {
	b := append(append([]byte{'{'}, members...), `,"ts":"`...)
	b = time.Unix(0, at).UTC().AppendFormat(b, time.RFC3339Nano)
	return t.event(name, append(b, `"}`...))
}

func (t *eventWriter) event(name string, data []byte) event {
	e := event{id: t.next, name: name}
	e.wire = emulate.AppendEvent(nil, fmtInt(e.id), name, data)
	t.next++
	return e
}

// recordedEvent returns an event of Compozy as recorded, and nothing for an event that a later
// connection repeated.
func (t *eventWriter) recordedEvent(f *replay.Frame) []event {
	if f.Flags.Has(schema.FlagNote) || f.Direction == schema.Send || f.Stream.Dialect != dialect {
		return nil
	}
	var c schema.Content
	c, t.buf = schema.Unframe(&f.Frame, t.buf)
	if c.Empty {
		return nil
	}
	e := event{id: t.next, name: c.Event}
	var v *fastjson.Value
	if f.Transport == schema.SSE {
		e.wire = append([]byte(nil), f.Raw...)
		if n, err := strconv.ParseInt(c.ID, 10, 64); err == nil {
			e.id = n
		}
	} else { // the envelope in which the server stores events
		var err error
		if v, err = t.parser.ParseBytes(c.Data); err != nil || str(v, "type") == "" {
			return nil
		}
		if n := v.GetInt64("id"); n > 0 {
			e.id = n
		}
		e.name = str(v, "type")
		data := []byte(str(v, "data"))
		if d := v.Get("data"); d != nil && d.Type() != fastjson.TypeString {
			data = emulate.AppendJSON(nil, d)
		}
		e.wire = emulate.AppendEvent(nil, fmtInt(e.id), e.name, data)
	}
	stream := f.Stream.StreamID
	if _, seen := t.highest[stream]; !seen {
		for _, n := range t.highest {
			t.most = max(t.most, n)
		}
	}
	t.highest[stream] = max(t.highest[stream], e.id)
	if e.id <= t.most {
		return nil
	}
	t.next = max(t.next, e.id+1)
	return []event{e}
}

func fmtInt(n int64) string { return strconv.FormatInt(n, 10) }

// str returns a string member, or "".
func str(v *fastjson.Value, path ...string) string { return string(v.GetStringBytes(path...)) }
