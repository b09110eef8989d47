package openai

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// finish ends a choice: its texts are complete, and its tool calls wait for the
// client, unless the answer was cut off within them.
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
		d.FinishArguments(tool)
		if !cutOff(reason) && tool.Span.Status == schema.StatusOpen {
			d.Start(tool) // from here on the client executes it
			d.Wait(tool)
		}
	}
	if len(reason) == 0 || d.stop != "" && c.index != 0 {
		return // of several choices the first speaks for the response
	}
	d.stop = dialect.Intern(reason)
	run := d.Run()
	var attrs dialect.Attributes
	attrs.AddText("stop_reason", d.stop)
	run.Attributes = attrs.Text()
	d.Emitter.ChangedSpan(run, d.Frame)
}

// cutOff reports whether an answer that ended for a reason may have ended within
// a tool call.
func cutOff(reason []byte) bool {
	switch string(reason) {
	case "length", "content_filter", "error", "insufficient_system_resource", "network_error":
		return true
	}
	return false
}

// count reads the usage of a chunk. Only the last of several counts: they are
// of one response. What Groq says of it under a name of its own is the same
// once more.
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
	rule := countingOf(&chatCounting, raw)
	if d.usage != nil {
		d.UpdateUsage(d.usage, rule, raw)
		d.groqOnly = groq
		return
	}
	id, scope := d.usageID(d.RunID)
	if d.usage = d.Use(rule, id, scope, d.Call(), raw); d.usage != nil {
		d.groqOnly = groq
	}
}
