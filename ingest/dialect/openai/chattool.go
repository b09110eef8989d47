package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// slot is the place of a tool call in a choice.
type slot struct {
	index int // in the chunks, from 0 or 1; -1 without one
	tool  *model.Tool
}

// slotLimit bounds the tool calls of a choice.
const slotLimit = 256

// slotOf returns the call that a chunk continues. It is the latest one with the chunk's index,
// unless the chunk has another id. Without an index it is the one with the chunk's id, else the
// latest.
func (c *choice) slotOf(index int, id []byte) *model.Tool {
	for i := len(c.slots) - 1; i >= 0; i-- {
		s := &c.slots[i]
		named := len(id) > 0 && s.tool.Span.CallID != ""
		switch {
		case named && s.tool.Span.CallID == string(id):
			return s.tool
		case index >= 0 && s.index == index && !named, index < 0 && len(id) == 0:
			return s.tool
		}
	}
	return nil
}

// toolCall reads a part of a tool call, or a whole call.
func (d *chat) toolCall(c *choice, v *fastjson.Value, place int, whole bool) {
	if v.Type() != fastjson.TypeObject {
		return
	}
	index := -1
	if i := v.Get("index"); i != nil && i.Type() == fastjson.TypeNumber {
		index = max(i.GetInt(), 0)
	} else if whole {
		index = place
	}
	id := v.GetStringBytes("id")
	does, member, media := v.Get("function"), "arguments", ""
	if does == nil {
		if does = v.Get("custom"); does != nil {
			member, media = "input", "text"
		}
	}
	tool := c.slotOf(index, id)
	if tool == nil {
		if len(c.slots) >= slotLimit {
			return
		}
		tool = d.Tool(id, does.GetStringBytes("name"))
		tool.Media = media
		c.slots = append(c.slots, slot{index, tool})
	}
	if len(id) > 0 && tool.Span.CallID == "" {
		tool.Span.CallID = string(id)
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
	d.goOn(tool, does, member)
}

// functionCall reads a part of a call in the old form: one for each choice, without an id.
func (d *chat) functionCall(c *choice, v *fastjson.Value) {
	d.Complete(schema.MessageThinking, d.textKey(c, 't'))
	tool := c.slotOf(-1, nil)
	if tool == nil {
		tool = d.Tool(nil, v.GetStringBytes("name"))
		c.slots = append(c.slots, slot{-1, tool})
	}
	d.goOn(tool, v, "arguments")
}

// goOn adds the content of a chunk to a call.
func (d *chat) goOn(tool *model.Tool, does *fastjson.Value, member string) {
	if does == nil {
		return
	}
	if name := does.GetStringBytes("name"); len(name) > 0 && tool.Span.Name == "" {
		tool.Span.Name = string(name)
		d.Emitter.ChangedSpan(tool.Span, d.Frame)
	}
	switch args := does.Get(member); {
	case args == nil || args.Type() == fastjson.TypeNull:
	case args.Type() == fastjson.TypeString:
		if text := args.GetStringBytes(); len(text) > 0 {
			d.AppendArguments(tool, text)
		}
	default:
		d.SetArguments(tool, args.MarshalTo(nil)) // an object in place of text
	}
}

// finish ends a choice. Its texts are complete, and its tool calls wait for the client, unless
// the answer was cut off in them.
func (d *chat) finish(c *choice, reason []byte) {
	if c.finished {
		return
	}
	c.finished = true
	d.Complete(schema.MessageThinking, d.textKey(c, 't'))
	for _, what := range [...]byte{'c', 'r', 'a'} {
		d.Complete(schema.MessageAssistant, d.textKey(c, what))
	}
	for i := range c.slots {
		tool := c.slots[i].tool
		if cutOff(reason) {
			continue // the answer may be cut off in this call
		}
		d.FinishArguments(tool)
		if tool.Span.Status == schema.StatusOpen {
			d.Start(tool) // the client executes it from now on
			d.Wait(tool)
		}
	}
	if len(reason) == 0 || d.stop != "" && c.index != 0 {
		return // the first of several choices decides for the response
	}
	d.stop = dialect.Intern(reason)
	d.noteRun()
}

// cutOff reports whether an answer with a finish reason may be cut off in a tool call.
func cutOff(reason []byte) bool {
	switch string(reason) {
	case "length", "model_length", "content_filter", "error", "insufficient_system_resource", "network_error":
		return true
	}
	return false
}

// count reads the usage of a chunk. Only the last of several usages of a response counts. Groq
// repeats it in x_groq.
func (d *chat) count(in *dialect.Input, v *fastjson.Value) {
	place, groq := "usage", false
	if u := v.Get("usage"); u == nil || u.Type() != fastjson.TypeObject {
		if u = v.Get("x_groq", "usage"); u == nil || u.Type() != fastjson.TypeObject {
			return
		}
		place, groq = "x_groq.usage", true
	}
	if groq && d.usage != nil && !d.groqOnly {
		return
	}
	raw := dialect.RawPath(in.Data, place)
	if cost := v.Get("usage", "cost"); dialect.IsNumber(cost) {
		d.cost = cost.MarshalTo(d.cost[:0])
		d.noteRun()
	}
	rule := countingOf(&chatCounting, raw)
	d.Billing.MessageID = d.RunID
	d.usage = d.Count(d.usage, rule, sharedID(d.RunID), d.Call(), raw)
	d.groqOnly = groq && d.usage != nil
}
