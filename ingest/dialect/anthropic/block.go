package anthropic

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// block is a content block in progress.
type block struct {
	index int
	key   []byte             // the key of its text in the conversation
	kind  schema.MessageKind // of its text; "" without text
	tool  *model.Tool
	input []byte // a tool's arguments in the start event, used if no chunks follow
	// serving: the server itself executes the tool.
	serving bool
	passage
}

// openBlocks bounds the blocks in progress. Beyond it the oldest is stopped.
const openBlocks = 64

// find returns the block in progress with an index, or nil.
func (m *Messages) find(index int) *block {
	for i := range m.blocks {
		if m.blocks[i].index == index {
			return &m.blocks[i]
		}
	}
	return nil
}

// add begins a block. A block of text continues the text of the previous block.
func (m *Messages) add(index int, isText bool) *block {
	if m.find(index) != nil {
		m.stop(index)
	}
	if len(m.blocks) >= openBlocks {
		m.stop(m.blocks[0].index)
	}
	b := block{index: index}
	if isText && m.tail.key != nil && m.tail.index == index-1 {
		b.key, b.passage = m.tail.key, m.tail.passage
		b.from = m.textLen(b.key)
		m.tail = tail{}
	} else {
		m.dropTail()
		b.key = strconv.AppendInt(nil, int64(index), 10)
	}
	m.blocks = append(m.blocks, b)
	m.order.blocks = max(m.order.blocks, index+1)
	return &m.blocks[len(m.blocks)-1]
}

// startBlock reads a content_block_start.
func (m *Messages) startBlock(index int, data []byte, v *fastjson.Value) (known bool) {
	typ := v.GetStringBytes("type")
	b := m.add(index, string(typ) == "text")
	m.output.block(string(typ))
	switch string(typ) {
	case "text":
		b.kind = schema.MessageAssistant
		m.grow(b, v.GetStringBytes("text"))
		dialect.RawElements(dialect.RawMember(data, "citations"), func(c []byte) bool {
			b.cite(c)
			return true
		})
	case "thinking":
		b.kind = schema.MessageThinking
		m.grow(b, v.GetStringBytes("thinking"))
	case "redacted_thinking":
		m.trace.Say(schema.MessageThinking, nil).Attributes = `{"redacted":true}`
	case "compaction":
		b.kind = schema.MessageSystem
		m.grow(b, v.GetStringBytes("content"))
	case "tool_use", "server_tool_use", "mcp_tool_use":
		m.startTool(b, typ, data, v)
	case "fallback":
		m.fallback(v)
	case "container_upload", "image", "document":
	default:
		if bytes.HasSuffix(typ, []byte("tool_result")) {
			m.result(data, v)
			return true
		}
		return false
	}
	return true
}

// grow adds to a block's text.
func (m *Messages) grow(b *block, chunk []byte) {
	if len(chunk) == 0 {
		return
	}
	m.output.any = true
	message := m.trace.Append(b.kind, b.key, chunk)
	if b.kind == schema.MessageSystem && message.Attributes == "" {
		message.Attributes = `{"block":"compaction"}`
	}
}

// delta reads a content_block_delta.
func (m *Messages) delta(data []byte, v *fastjson.Value) (known bool) {
	m.begin(nil)
	d := v.Get("delta")
	typ := d.GetStringBytes("type")
	b := m.find(v.GetInt("index"))
	if b == nil { // the start was not seen
		b = m.add(v.GetInt("index"), string(typ) == "text_delta")
	}
	switch string(typ) {
	case "text_delta":
		m.text(b, schema.MessageAssistant, d.GetStringBytes("text"))
	case "thinking_delta":
		m.text(b, schema.MessageThinking, d.GetStringBytes("thinking"))
	case "input_json_delta":
		if chunk := d.GetStringBytes("partial_json"); len(chunk) > 0 && b.tool != nil && !b.tool.Span.Status.Ended() {
			m.trace.AppendArguments(b.tool, chunk)
		}
	case "citations_delta":
		if b.kind == "" {
			b.kind = schema.MessageAssistant
		}
		b.cite(dialect.RawPath(data, "delta.citation"))
	case "compaction_delta":
		m.text(b, schema.MessageSystem, d.GetStringBytes("content"))
	case "signature_delta":
	default:
		return false
	}
	return true
}

// text adds to a block's text. The type of the chunk sets the kind.
func (m *Messages) text(b *block, kind schema.MessageKind, chunk []byte) {
	if b.kind == "" {
		b.kind = kind
	}
	m.grow(b, chunk)
}

// stopBlock reads a content_block_stop. Agents that pass events on add the whole block, which
// describes a block whose start was not seen.
func (m *Messages) stopBlock(index int, data []byte, v *fastjson.Value) (known bool) {
	known = true
	if whole := v.Get("content_block"); whole != nil && m.find(index) == nil {
		m.begin(nil)
		known = m.startBlock(index, dialect.RawMember(data, "content_block"), whole)
	}
	m.stop(index)
	return known
}

// stop completes the block with an index, if it is in progress.
func (m *Messages) stop(index int) {
	for i := range m.blocks {
		if m.blocks[i].index != index {
			continue
		}
		b := m.blocks[i]
		m.blocks = slices.Delete(m.blocks, i, i+1)
		switch {
		case b.tool != nil:
			m.stopTool(&b)
		case b.kind == schema.MessageAssistant:
			m.stopText(&b)
		case b.kind != "":
			m.trace.Complete(b.kind, b.key)
		}
		return
	}
}

// stopBlocks completes the blocks in progress when their message ends. Calls with incomplete
// arguments stay as they are.
func (m *Messages) stopBlocks() {
	for i := range m.blocks {
		switch b := &m.blocks[i]; {
		case b.kind == schema.MessageAssistant:
			m.stopText(b)
		case b.kind != "":
			m.trace.Complete(b.kind, b.key)
		}
	}
	m.dropTail()
	clear(m.blocks)
	m.blocks = m.blocks[:0]
}

// Content records the blocks of a message's content, an array or a text, in the call of a model
// in progress. It is for dialects that get messages in pieces and keep the call themselves.
func (m *Messages) Content(data []byte, v *fastjson.Value) (known bool) {
	known = true
	if v != nil && v.Type() == fastjson.TypeString {
		m.output.any = m.output.any || len(v.GetStringBytes()) > 0
		m.trace.Say(schema.MessageAssistant, v.GetStringBytes())
		return known
	}
	dialect.Elements(v.GetArray(), data, 0, func(i int, block *fastjson.Value, raw []byte) {
		known = m.startBlock(i, raw, block) && known
		m.stop(i)
	})
	m.dropTail()
	return known
}
