package bedrock

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// of returns the block in progress with an index, and begins one if there is none: blocks of text
// have no start event.
func (d *decoder) of(index int) *block {
	a := &d.answer
	for i := range a.blocks {
		if a.blocks[i].index == index {
			return &a.blocks[i]
		}
	}
	if len(a.blocks) >= blockLimit {
		d.stop(a.blocks[0].index)
	}
	a.blocks = append(a.blocks, block{index: index})
	return &a.blocks[len(a.blocks)-1]
}

// blockStart reads {"contentBlockIndex","start":{"toolUse":{"toolUseId","name"}}}.
func (d *decoder) blockStart(_ *dialect.Input, p part) {
	d.begin()
	d.answer.tail = tail{}
	b, start := d.of(p.v.GetInt("contentBlockIndex")), p.member("start")
	switch {
	case start.v.Get("toolUse") != nil:
		use := start.v.Get("toolUse")
		b.tool = d.Tool(use.GetStringBytes("toolUseId"), use.GetStringBytes("name"))
		d.FirstToken()
		if string(use.GetStringBytes("type")) == "server_tool_use" {
			b.tool.Running = true
		}
	case start.v.Get("toolResult") != nil: // the service executes the tool
		result := start.v.Get("toolResult")
		b.tool, b.result = d.OpenTool(result.GetStringBytes("toolUseId")), statusOf(result.GetStringBytes("status"))
	case start.v.Get("image") != nil:
	default:
		d.Unknown()
	}
}

func statusOf(status []byte) schema.Status {
	if string(status) == "error" {
		return schema.StatusError
	}
	return schema.StatusOK
}

// blockDelta reads {"contentBlockIndex","delta":{…}}.
func (d *decoder) blockDelta(_ *dialect.Input, p part) {
	d.begin()
	b, delta := d.of(p.v.GetInt("contentBlockIndex")), p.member("delta")
	if text := delta.v.Get("text"); text != nil {
		d.say(b, schema.MessageAssistant, text.GetStringBytes())
		return
	}
	switch {
	case delta.v.Get("reasoningContent") != nil:
		reasoning := delta.v.Get("reasoningContent")
		d.say(b, schema.MessageThinking, reasoning.GetStringBytes("text"))
	case delta.v.Get("toolUse") != nil:
		if input := delta.v.GetStringBytes("toolUse", "input"); len(input) > 0 && b.tool != nil {
			d.AppendArguments(b.tool, input)
		}
	case delta.v.Get("toolResult") != nil:
		if b.tool != nil {
			d.Returned(b.tool, delta.member("toolResult").raw, "json")
		}
	case delta.v.Get("citation") != nil, delta.v.Get("image") != nil:
	default:
		d.Unknown()
	}
}

// say adds to a block's text. Adjacent blocks of text have one text.
func (d *decoder) say(b *block, kind schema.MessageKind, text []byte) {
	if len(text) == 0 {
		return // mostly a signature
	}
	var room [8]byte
	if t := d.answer.tail; b.kind == "" {
		if kind == schema.MessageAssistant && t.message != nil && b.index == t.index+1 {
			d.GrowAgain(t.message, b.key(room[:0]))
		}
		d.answer.tail = tail{}
	}
	b.kind = kind
	d.Append(kind, b.key(room[:0]), text)
}

func (d *decoder) blockStop(_ *dialect.Input, p part) {
	d.begin()
	d.stop(p.v.GetInt("contentBlockIndex"))
}

// stop completes the block with an index. The client executes a call, unless the service does.
func (d *decoder) stop(index int) {
	i := slices.IndexFunc(d.answer.blocks, func(b block) bool { return b.index == index })
	if i < 0 {
		return
	}
	b := d.answer.blocks[i]
	d.answer.blocks = slices.Delete(d.answer.blocks, i, i+1)
	var room [8]byte
	switch {
	case b.kind != "":
		if b.kind == schema.MessageAssistant {
			d.answer.tail = tail{b.index, d.Growing(b.kind, b.key(room[:0]))}
		}
		d.Complete(b.kind, b.key(room[:0]))
	case b.tool == nil:
	case b.result != "":
		d.EndTool(b.tool, b.result, nil)
	default:
		d.FinishArguments(b.tool)
		served := b.tool.Running
		if d.Start(b.tool); !served {
			d.Wait(b.tool)
		}
	}
}

// whole reads the answer of Converse, which is not streamed.
func (d *decoder) whole(p part) {
	d.begin()
	content := p.member("output").member("message").member("content")
	dialect.Elements(content.v.GetArray(), content.raw, 0, func(i int, v *fastjson.Value, raw []byte) {
		text := v.GetStringBytes("text")
		if len(text) == 0 {
			text = dialect.RawWords(part{v, raw}.member("citationsContent").member("content").raw)
		}
		if len(text) == 0 {
			d.answer.tail = tail{}
			d.content(part{v, raw})
			return
		}
		d.say(d.of(i), schema.MessageAssistant, text)
		d.stop(i)
	})
	d.metadata(nil, p)
	d.messageStop(nil, p)
}

// content reads a part of a message: {"text"}, {"citationsContent"}, {"reasoningContent"},
// {"toolUse"}, or {"toolResult"} of a tool that the service executed.
func (d *decoder) content(p part) {
	switch {
	case p.v.Get("text") != nil:
		d.Say(schema.MessageAssistant, p.v.GetStringBytes("text"))
	case p.v.Get("reasoningContent") != nil:
		d.Say(schema.MessageThinking, p.v.GetStringBytes("reasoningContent", "reasoningText", "text"))
	case p.v.Get("toolUse") != nil:
		use := p.member("toolUse")
		tool := d.Tool(use.v.GetStringBytes("toolUseId"), use.v.GetStringBytes("name"))
		d.SetArguments(tool, use.member("input").raw)
		if d.Start(tool); string(use.v.GetStringBytes("type")) != "server_tool_use" {
			d.Wait(tool)
		}
	case p.v.Get("citationsContent") != nil:
		if text := dialect.RawWords(p.member("citationsContent").member("content").raw); len(text) > 0 {
			d.Say(schema.MessageAssistant, text)
		}
	case p.v.Get("toolResult") != nil:
		d.toolResult(p.member("toolResult"))
	}
}
