package openai

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// request begins a response. It records only the messages after the model's last one, as earlier
// requests had the others.
func (d *chat) request(in *dialect.Input) {
	list, prompt := in.JSON.Get("messages"), in.JSON.Get("prompt")
	if !dialect.IsArray(list) && dialect.IsNull(prompt) {
		d.Unknown()
		return
	}
	d.Frame.Type = typeRequest
	d.leaveAll()
	d.reset()
	d.OpenRun("")
	d.RequestModel(in.JSON.GetStringBytes("model"))
	if !dialect.IsNull(prompt) {
		d.ask(prompt)
	}
	messages := list.GetArray()
	d.instructions(messages)
	d.offer(in.Data)
	first := dialect.NewSince(messages, dialect.IsAssistant, false)
	dialect.Elements(messages, dialect.RawMember(in.Data, "messages"), first, d.newMessage)
	d.OpenCall()
	d.last, d.single = d.Frame.At, d.Frame.Transport == schema.HTTP
}

// instructions records the system prompt: the messages of the system and the developer at the
// beginning of the conversation.
func (x *exchange) instructions(messages []*fastjson.Value) {
	var prompt []byte
	for _, m := range messages {
		if !isInstruction(m) {
			break
		}
		text, _ := x.textOf(m.Get("content"))
		if len(prompt) > 0 {
			prompt = append(prompt, '\n')
		}
		prompt = append(prompt, text...)
	}
	x.Instruct(prompt)
}

// isInstruction reports whether a message is of the system or of the developer.
func isInstruction(m *fastjson.Value) bool {
	role := string(m.GetStringBytes("role"))
	return role == "system" || role == "developer"
}

// offer records the tools that a request offers.
func (x *exchange) offer(request []byte) {
	var tools model.Offered
	tools.AddAll(dialect.RawMember(request, "tools"), "function.name", "name", "custom.name", "server_label")
	tools.AddAll(dialect.RawMember(request, "functions"), "name")
	x.Offer(&tools)
}

// newMessage reads a new message of a request.
func (d *chat) newMessage(_ int, m *fastjson.Value, raw []byte) {
	content := m.Get("content")
	switch string(m.GetStringBytes("role")) {
	case "user":
		d.ask(content)
	case "tool":
		text, media, parts := d.resultText(content, dialect.RawMember(raw, "content"))
		result := d.ResultOf(m.GetStringBytes("tool_call_id"), m.GetStringBytes("name"), text, media, schema.StatusOK, nil)
		if result != nil {
			result.Attributes = dialect.Attribute("parts", parts)
		}
	case "function": // the old form, which does not name the call
		text, media, parts := d.resultText(content, dialect.RawMember(raw, "content"))
		result := d.Say(schema.MessageResult, text)
		result.Name, result.Media = string(m.GetStringBytes("name")), media
		result.Attributes = dialect.Attribute("parts", parts)
		d.AwaitID(result)
	}
}

// isChat reports whether a request goes to the chat completions endpoint of any server, or to the
// endpoint of the older completions.
func isChat(h *dialect.Head) bool {
	return string(h.Method) == "POST" && bytes.HasSuffix(bytes.TrimSuffix(h.Path, []byte("/")), []byte("/completions"))
}

// matchChat judges one frame.
func matchChat(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		if !isChat(&h) {
			return dialect.No, ""
		}
		sure := dialect.Possible
		if bytes.Contains(h.Path, []byte("/chat/")) {
			sure = dialect.Likely
		}
		return sure, "POST " + string(h.Path)
	}
	v := in.JSON
	if v == nil || v.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchChatRequest(v)
	}
	listed := v.Get("choices") != nil && v.Get("choices").Type() == fastjson.TypeArray
	switch object := v.GetStringBytes("object"); {
	case !listed:
	case string(object) == typeChunk, string(object) == typeAnswer, string(object) == typeText, string(object) == typeTexts:
		return dialect.Certain, "a " + string(object)
	case v.Get("prompt_filter_results") != nil && v.Get("id") != nil:
		return dialect.Likely, "choices with prompt_filter_results"
	case v.Get("choices", "0", "delta") != nil:
		return dialect.Likely, "choices with a delta"
	case v.Get("choices", "0", "message") != nil:
		return dialect.Possible, "choices with a message"
	case v.GetStringBytes("choices", "0", "text") != nil && (v.Get("usage", "prompt_tokens") != nil || v.Get("model") != nil):
		return dialect.Likely, "choices with a text"
	}
	if v.Get("error", "message") != nil {
		return dialect.Possible, "an error with a message"
	}
	return dialect.No, ""
}

// matchChatRequest judges a request's body. Requests of other APIs have a model and messages as
// well: members that only this API has are the evidence.
func matchChatRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if v.Get("model") == nil {
		return dialect.No, ""
	}
	if v.Get("messages", "0", "role") == nil {
		if v.Get("prompt") != nil && v.Get("max_tokens") != nil {
			return dialect.Possible, "a request with a prompt"
		}
		return dialect.No, ""
	}
	for _, name := range [...]string{"stream_options", "max_completion_tokens", "reasoning_effort", "parallel_tool_calls"} {
		if v.Get(name) != nil {
			return dialect.Likely, "a request with messages and " + name
		}
	}
	if v.Get("tools", "0", "function") != nil {
		return dialect.Likely, "a request with messages and functions"
	}
	return dialect.Possible, "a request with messages"
}
