package openai

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// isChat reports whether a request goes to the chat completions endpoint, of
// whatever server.
func isChat(h *dialect.Head) bool {
	return string(h.Method) == "POST" && bytes.HasSuffix(bytes.TrimSuffix(h.Path, []byte("/")), []byte("/chat/completions"))
}

// matchChat judges a frame by itself.
func matchChat(in *dialect.Input) (dialect.Confidence, string) {
	if h, ok := dialect.HeadOf(in); ok {
		if isChat(&h) {
			return dialect.Likely, "POST " + string(h.Path)
		}
		return dialect.No, ""
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
	case string(object) == typeChunk, string(object) == typeAnswer:
		return dialect.Certain, "a " + string(object)
	case v.Get("prompt_filter_results") != nil && v.Get("id") != nil:
		return dialect.Likely, "choices with prompt_filter_results"
	case v.Get("choices", "0", "delta") != nil:
		return dialect.Likely, "choices with a delta"
	case v.Get("choices", "0", "message") != nil:
		return dialect.Possible, "choices with a message"
	}
	if v.Get("error", "message") != nil {
		return dialect.Possible, "an error with a message"
	}
	return dialect.No, ""
}

// matchChatRequest judges a request's body. Others have a model and messages as
// well: what only this API has beside them tells.
func matchChatRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if v.Get("model") == nil || v.Get("messages", "0", "role") == nil {
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
