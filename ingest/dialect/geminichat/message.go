package geminichat

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// counting is how a message counts: input includes tokens from a cache, output excludes thoughts,
// and input excludes tokens that Google's tools read.
var counting = dialect.Counting{
	Input: "input+tool", CacheRead: "cached", Output: "output", Reasoning: "thoughts", Total: "total",
	InputHoldsCache: true, Mode: schema.UsageAdd,
}

// message reads a message, or the new part of a message that is written again.
func (d *decoder) message(v *fastjson.Value, raw []byte) {
	m, known := d.of(v.GetStringBytes("id"))
	text := dialect.RawWords(dialect.RawMember(raw, "content"))
	if text == nil {
		text = dialect.RawWords(dialect.RawMember(raw, "parts"))
	}
	switch string(v.GetStringBytes("type")) {
	case "user":
		if !known && len(text) > 0 {
			d.endRun()
			d.tr.InRun()
			d.tr.UserMessage(text)
			d.waiting, d.asked = true, d.Frame.At
		}
	case "gemini", "model":
		d.answer(m, v, raw, text)
	case "error":
		if !known {
			d.tr.Say(schema.MessageError, text)
			d.failure, d.last = append([]byte(nil), text...), d.Frame.At
		}
	case "info", "warning":
		if !known {
			d.tr.Say(schema.MessageSystem, text)
		}
	default:
		d.Unknown()
	}
}

// of returns the message with an id. known reports whether it was read before.
func (d *decoder) of(id []byte) (m *message, known bool) {
	for _, m := range d.messages {
		if len(id) > 0 && m.id == string(id) {
			return m, true
		}
	}
	m = &message{id: string(id)}
	d.messages = dialect.AppendRecent(d.messages, m, messagesKept)
	return m, false
}

// answer reads a message of the model, which is one call of it.
func (d *decoder) answer(m *message, v *fastjson.Value, raw, text []byte) {
	d.tr.InRun()
	if name := v.GetStringBytes("model"); len(name) > 0 {
		d.tr.AnswerModel(d.model.Own(name), provider)
	}
	if m.call == nil {
		m.call, m.ended = d.tr.OpenCall(), d.Frame.At
		if m.call.Started = d.asked; d.Untimed {
			m.call.Started = 0
		}
	} else {
		d.tr.Resume(m.call)
	}
	dialect.Elements(v.GetArray("thoughts"), dialect.RawMember(raw, "thoughts"), m.said, func(_ int, v *fastjson.Value, _ []byte) {
		m.said++
		words := bytes.Join([][]byte{v.GetStringBytes("subject"), v.GetStringBytes("description")}, []byte("\n"))
		if words = bytes.TrimSpace(words); len(words) > 0 {
			d.tr.Say(schema.MessageThinking, words)
		}
	})
	if m.text == nil && len(text) > 0 {
		m.text = d.tr.Say(schema.MessageAssistant, text)
	}
	if tokens := dialect.RawMember(raw, "tokens"); !dialect.RawNull(tokens) {
		of := ""
		if m.id != "" {
			of = "message:" + m.id
		}
		m.usage = d.tr.Count(m.usage, &counting, of, m.call, tokens)
	}
	d.tr.EndCallAt(schema.StatusOK, m.ended)
	d.waiting, d.failure, d.asked, d.last = false, nil, 0, d.Frame.At
	dialect.Elements(v.GetArray("toolCalls"), dialect.RawMember(raw, "toolCalls"), 0, func(_ int, v *fastjson.Value, raw []byte) { d.tool(m, v, raw) })
}

// statuses maps the statuses of tool calls that have ended.
var statuses = map[string]schema.Status{
	"success": schema.StatusOK, "error": schema.StatusError, "cancelled": schema.StatusCancelled,
}

// tool reads a tool call, which is written with its result.
func (d *decoder) tool(m *message, v *fastjson.Value, raw []byte) {
	id := v.GetStringBytes("id")
	if d.tr.Ended(id) {
		return
	}
	tool := d.tr.Tool(id, v.GetStringBytes("name"))
	if !d.Untimed {
		tool.Span.Started = m.ended
	}
	d.tr.RepeatArguments(tool, dialect.RawMember(raw, "args"))
	status, ended := statuses[string(v.GetStringBytes("status"))]
	if !ended {
		return
	}
	later := d.Frame.At > m.ended
	if !later { // the message was written with the result: the duration is not known
		tool.Span.Started = 0
	}
	result, media := dialect.RawMember(raw, "result"), "json"
	response := dialect.IsArray(v.Get("result"))
	var text []byte
	if response {
		text = v.GetStringBytes("result", "0", "functionResponse", "response", "output")
		if text == nil {
			text = v.GetStringBytes("result", "0", "functionResponse", "response", "error")
		}
	}
	if text != nil {
		result, media = text, "text"
	}
	if !dialect.RawNull(result) {
		d.tr.Returned(tool, result, media)
	}
	var why []byte
	if status == schema.StatusError {
		why = text
	}
	d.tr.EndTool(tool, status, why)
	if d.waiting, d.asked = true, 0; later {
		d.asked = d.Frame.At
	}
}

// endRun settles a run at the next message of the user or at the end of the file. Its status is
// ok if the last message is the model's, and error if it is an error.
func (d *decoder) endRun() {
	run := d.tr.Run()
	switch {
	case run == nil || len(d.tr.OpenTools()) > 0:
	case d.failure != nil:
		d.tr.EndRun(schema.StatusError, d.failure)
		run.Ended = d.last
	case !d.waiting:
		d.tr.EndRun(schema.StatusOK, nil)
		run.Ended = d.last
	}
	d.tr.Abandon()
	d.waiting, d.failure, d.asked = false, nil, 0
}
