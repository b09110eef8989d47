package vercelui

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// call is a tool call in progress.
type call struct {
	*model.Tool
	ready    bool   // its input is complete
	provider bool   // the model's provider runs it
	dynamic  bool   // its type is not known beforehand
	titled   bool   // its title is noted
	asked    bool   // an approval was asked for
	waits    bool   // for it
	denied   bool   // its approval was refused
	approval string // the approval's id
	step     int    // of the run, that it began in
}

// calls are the tool calls of a run.
type calls struct {
	open []*call
	done []uint64 // hashes of the ids of those that ended
}

// callLimit bounds each of the two.
const callLimit = 256

// of finds the call of a tool.
func (c *calls) of(tool *model.Tool) *call {
	for _, one := range c.open {
		if one.Tool == tool {
			return one
		}
	}
	return nil
}

// wait says that the calls which are complete wait for the client, but those
// that are not its own to run.
func (c *calls) wait(t *model.Conversation) {
	for _, one := range c.open {
		if one.ready && !one.provider && t.OpenTool([]byte(one.Span.CallID)) == one.Tool {
			t.Wait(one.Tool)
		}
	}
}

// call gives the call in progress with an id, and begins one where there is
// none. It is nil for one that has ended in this run, unless begins says that
// the frame can only speak of another.
func (d *decoder) call(id, name []byte, begins bool) *call {
	if tool := d.talk.OpenTool(id); tool != nil {
		if one := d.calls.of(d.talk.Tool(id, name)); one != nil {
			return one
		}
		return d.add(tool)
	}
	if !begins && slices.Contains(d.calls.done, xxhash.Sum64(id)) {
		return nil
	}
	d.inRun()
	tool := d.talk.Tool(id, name)
	if d.isShared() && tool.Span.CallID != "" {
		tool.ArgumentsID = "arguments:" + tool.Span.CallID
	}
	return d.add(tool)
}

func (d *decoder) add(tool *model.Tool) *call {
	if len(d.calls.open) >= callLimit {
		d.calls.open = slices.Delete(d.calls.open, 0, 1)
	}
	one := &call{Tool: tool, step: d.run.step}
	d.calls.open = append(d.calls.open, one)
	return one
}

func (d *decoder) endTool(one *call, status schema.Status, why []byte) {
	if d.talk.Call() != nil && !one.provider {
		d.run.ran = true
	}
	d.talk.EndTool(one.Tool, status, why)
	d.calls.open = slices.DeleteFunc(d.calls.open, func(x *call) bool { return x == one })
	if one.Span.CallID == "" {
		return
	}
	if len(d.calls.done) >= callLimit {
		d.calls.done = slices.Delete(d.calls.done, 0, 1)
	}
	d.calls.done = append(d.calls.done, xxhash.Sum64String(one.Span.CallID))
}

// toolInput reads what the model asks a tool for.
func (d *decoder) toolInput(k kind, in *dialect.Input) {
	v := in.JSON
	id, name := v.GetStringBytes("toolCallId"), v.GetStringBytes("toolName")
	if len(id) == 0 && k == inputDelta {
		return
	}
	one := d.call(id, name, k == inputStart)
	if one == nil {
		return
	}
	d.spoken()
	d.describe(one, in)
	switch k {
	case inputDelta:
		if delta := v.GetStringBytes("inputTextDelta"); len(delta) > 0 {
			d.talk.AppendArguments(one.Tool, delta)
		}
	case inputReady:
		d.argued(one, dialect.RawMember(in.Data, "input"))
	case inputError:
		d.setArguments(one, dialect.RawMember(in.Data, "input"))
		why := v.GetStringBytes("errorText")
		d.talk.Returned(one.Tool, why, "text")
		d.endTool(one, schema.StatusError, why)
	}
}

// describe takes over what else is told of a call.
func (d *decoder) describe(one *call, in *dialect.Input) {
	v, before := in.JSON, len(one.Attrs)
	if !one.provider && v.GetBool("providerExecuted") {
		one.provider = true
		one.Attrs.AddRaw("provider_executed", []byte("true"))
	}
	if !one.dynamic && v.GetBool("dynamic") {
		one.dynamic = true
		one.Attrs.AddRaw("dynamic", []byte("true"))
	}
	if title := v.GetStringBytes("title"); !one.titled && len(title) > 0 {
		one.titled = true
		one.Attrs.AddText("title", dialect.Short(title))
	}
	if len(one.Attrs) > before {
		d.talk.Noted(one.Tool)
	}
}

// argued reads a call's whole input: from now on it is run, by the server or by
// the client. Some servers send it again when they know it better.
func (d *decoder) argued(one *call, input []byte) {
	d.setArguments(one, input)
	if !one.ready && !one.waits {
		d.talk.Start(one.Tool)
	}
	one.ready = true
}

// setArguments tells a call's input whole. Where it says what the deltas said
// these stand, in the words of the model.
func (d *decoder) setArguments(one *call, input []byte) {
	if len(input) == 0 || string(input) == "null" || sameJSON(one.Arguments(), input) {
		d.talk.FinishArguments(one.Tool)
		return
	}
	text, media := content(input)
	if media == "text" && !wellformed.JSON(text) {
		one.Media = media // of a tool that takes text, or JSON that did not parse
	}
	d.talk.SetArguments(one.Tool, text)
}
