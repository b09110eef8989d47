package anthropicagent

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay/emulate"
)

// deltas lists the types of deltas that envelopes can represent, or that the library also omits.
var deltas = map[string]bool{
	"text_delta": true, "thinking_delta": true, "signature_delta": true,
	"input_json_delta": true, "citations_delta": true,
}

// known reports whether envelopes have a form for a block type.
func known(block string) bool {
	switch block {
	case "text", "thinking", "tool_use", "server_tool_use", "mcp_tool_use":
		return true
	}
	return strings.HasSuffix(block, "_tool_result")
}

// converter converts events of the Messages API to envelopes, like the library's formatter.
type converter struct {
	agent  string
	blocks map[int]*block
	names  map[string]string // names of calls by id, for their results
	steps  int
	stop   string
	usage  [4]int64 // over all calls, in the order of usageNames
	call   [4]int64 // for the call in progress
}

type block struct {
	kind, id, name string
	input          strings.Builder
	content        []byte
	citations      []*fastjson.Value
}

var usageNames = [4]string{"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}

func newConverter(agent string) *converter {
	return &converter{agent: agent, blocks: map[int]*block{}, names: map[string]string{}}
}

// begin appends meta_init.
func (c *converter) begin(b []byte, from *conversion) []byte {
	meta := jsonstring.Append([]byte(`{"format":"json","user_query":`), from.query)
	meta = jsonstring.Append(append(meta, `,"agent_uuid":`...), from.agent)
	meta = append(jsonstring.Append(append(meta, `,"model":`...), from.model), '}')
	return c.whole(b, "meta_init", "", string(meta))
}

// end appends meta_final.
func (c *converter) end(b []byte) []byte {
	meta := jsonstring.Append([]byte(`{"stop_reason":`), c.stop)
	meta = appendInt(append(meta, `,"total_steps":`...), int64(c.steps))
	meta = append(meta, `,"generated_files":null,"cost":null,"cumulative_usage":{`...)
	for i, name := range usageNames {
		if i > 0 {
			meta = append(meta, ',')
		}
		meta = appendInt(append(jsonstring.Append(meta, name), ':'), c.usage[i])
	}
	return c.whole(b, "meta_final", "", string(append(meta, "}}"...)))
}

// whole appends a complete payload.
func (c *converter) whole(b []byte, kind, extra, payload string) []byte {
	return envelope{kind: kind, agent: c.agent, extra: extra}.chunk(b, true, payload)
}

// event appends the envelopes for an event of the API.
func (c *converter) event(b []byte, v *fastjson.Value) []byte {
	switch text(v, "type") {
	case "message_start":
		c.steps++
		c.call = [4]int64{}
		c.count(v.Get("message", "usage"))
	case "message_delta":
		c.count(v.Get("usage"))
		if s := text(v, "delta", "stop_reason"); s != "" {
			c.stop = s
		}
	case "message_stop":
		for i := range c.usage {
			c.usage[i] += c.call[i]
		}
	case "content_block_start":
		at := v.Get("content_block")
		k := &block{kind: text(at, "type"), id: text(at, "id"), name: text(at, "name")}
		if content := at.Get("content"); content != nil {
			k.id, k.content = text(at, "tool_use_id"), emulate.AppendJSON(nil, content)
		}
		if k.name != "" {
			c.names[k.id] = k.name
		}
		if input := at.GetObject("input"); input != nil && input.Len() > 0 {
			k.input.Write(emulate.AppendJSON(nil, at.Get("input")))
		}
		c.blocks[v.GetInt("index")] = k
		if s := text(at, "text") + text(at, "thinking"); s != "" {
			return envelope{kind: k.kind, agent: c.agent}.chunk(b, false, s)
		}
	case "content_block_delta":
		k := c.blocks[v.GetInt("index")]
		if k == nil {
			k = &block{kind: strings.TrimSuffix(text(v, "delta", "type"), "_delta")}
			c.blocks[v.GetInt("index")] = k
		}
		switch text(v, "delta", "type") {
		case "text_delta":
			return envelope{kind: "text", agent: c.agent}.chunk(b, false, text(v, "delta", "text"))
		case "thinking_delta":
			return envelope{kind: "thinking", agent: c.agent}.chunk(b, false, text(v, "delta", "thinking"))
		case "input_json_delta":
			k.input.WriteString(text(v, "delta", "partial_json"))
		case "citations_delta":
			own, err := fastjson.ParseBytes(emulate.AppendJSON(nil, v.Get("delta", "citation")))
			if err == nil {
				k.citations = append(k.citations, own)
			}
		}
	case "content_block_stop":
		k := c.blocks[v.GetInt("index")]
		delete(c.blocks, v.GetInt("index"))
		if k != nil {
			return c.stopBlock(b, k)
		}
	case "error":
		payload := v.Get("error")
		if payload == nil {
			payload = v
		}
		return c.whole(b, "error", "", string(emulate.AppendJSON(nil, payload)))
	}
	return b
}

func (c *converter) stopBlock(b []byte, k *block) []byte {
	switch {
	case k.kind == "text" || k.kind == "thinking":
		b = envelope{kind: k.kind, agent: c.agent}.append(b, true, "")
		for i, citation := range k.citations {
			b = c.cite(b, citation, i == len(k.citations)-1)
		}
		return b
	case k.content != nil:
		return c.whole(b, "server_tool_result", idAndName(k.id, k.kind), string(k.content))
	case k.kind == "tool_use":
		return c.whole(b, "tool_call", idAndName(k.id, k.name), orEmpty(k.input.String()))
	}
	return c.whole(b, "server_tool_call", idAndName(k.id, k.name), orEmpty(k.input.String()))
}

// cite appends a citation. Its text is the delta; the other members follow it.
func (c *converter) cite(b []byte, v *fastjson.Value, last bool) []byte {
	e := envelope{kind: "citation", agent: c.agent, trailing: true}
	extra := jsonstring.Append([]byte(`"citation_type":`), text(v, "type"))
	v.GetObject().Visit(func(k []byte, member *fastjson.Value) {
		if name := string(k); name != "type" && name != "cited_text" && member.Type() != fastjson.TypeNull {
			extra = append(jsonstring.Append(append(extra, ','), name), ':')
			extra = emulate.AppendJSON(extra, member)
		}
	})
	e.extra = string(extra)
	return e.append(b, last, text(v, "cited_text"))
}

// results appends the tool results in a request.
func (c *converter) results(b []byte, request *fastjson.Value) []byte {
	for _, r := range toolResults(request) {
		id := text(r, "tool_use_id")
		e := envelope{kind: "tool_result", agent: c.agent, extra: idAndName(id, c.names[id])}
		var said []string
		var images []*fastjson.Value
		if content := r.Get("content"); content != nil && content.Type() == fastjson.TypeString {
			said = []string{text(content)}
		}
		for _, part := range r.GetArray("content") {
			switch text(part, "type") {
			case "text":
				said = append(said, text(part, "text"))
			case "image":
				images = append(images, part.Get("source"))
			default:
				said = append(said, string(emulate.AppendJSON(nil, part)))
			}
		}
		b = e.chunk(b, len(images) == 0, strings.Join(said, "\n"))
		if len(images) == 0 {
			continue
		}
		for _, source := range images {
			src := text(source, "url")
			if data := text(source, "data"); data != "" {
				src = "data:" + text(source, "media_type") + ";base64," + data
			}
			image := envelope{kind: "tool_result_image", agent: c.agent, extra: e.extra, trailing: false}
			extra := jsonstring.Append([]byte(e.extra+`,"src":`), src)
			image.extra = string(jsonstring.Append(append(extra, `,"media_type":`...), text(source, "media_type")))
			b = image.append(b, false, "")
		}
		b = e.append(b, true, "")
	}
	return b
}

// count records usage. Of each member the latest value of a call counts.
func (c *converter) count(v *fastjson.Value) {
	for i, name := range usageNames {
		if n := v.Get(name); n != nil && n.Type() == fastjson.TypeNumber {
			c.call[i] = n.GetInt64()
		}
	}
}

// toolResults returns the new tool results of a request: those in its last message.
func toolResults(request *fastjson.Value) (list []*fastjson.Value) {
	said := request.GetArray("messages")
	if len(said) == 0 {
		return nil
	}
	for _, part := range said[len(said)-1].GetArray("content") {
		if text(part, "type") == "tool_result" {
			list = append(list, part)
		}
	}
	return list
}

// queryOf returns the user's latest text in a request.
func queryOf(request *fastjson.Value) string {
	said := request.GetArray("messages")
	if len(said) == 0 || text(said[len(said)-1], "role") != "user" {
		return ""
	}
	content := said[len(said)-1].Get("content")
	if content != nil && content.Type() == fastjson.TypeString {
		return text(content)
	}
	var texts []string
	for _, part := range content.GetArray() {
		if s := text(part, "text"); s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

func idAndName(id, name string) string {
	b := jsonstring.Append([]byte(`"id":`), id)
	return string(jsonstring.Append(append(b, `,"name":`...), name))
}

func orEmpty(arguments string) string {
	if arguments == "" {
		return "{}"
	}
	return arguments
}
