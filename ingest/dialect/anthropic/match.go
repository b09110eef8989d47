package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Other protocols have events with the same names, but with other
// members.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		return matchHead(&head)
	}
	if in.JSON == nil || in.JSON.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchRequest(in.JSON)
	}
	return matchEvent(in.JSON)
}

func matchHead(h *dialect.Head) (dialect.Confidence, string) {
	switch {
	case bytes.HasSuffix(h.Path, []byte("/v1/messages")), bytes.HasSuffix(h.Path, []byte("/v1/messages/count_tokens")):
		return dialect.Likely, string(h.Method) + " " + dialect.Short(h.Path)
	case h.Method != nil && h.Field("anthropic-version") != nil:
		return dialect.Likely, "a request with anthropic-version"
	}
	return dialect.No, ""
}

// matchRequest judges the body of a request, which resembles requests of other APIs.
func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if !dialect.IsArray(v.Get("messages")) || v.GetStringBytes("model") == nil && v.GetStringBytes("anthropic_version") == nil {
		return dialect.No, ""
	}
	switch {
	case v.GetStringBytes("anthropic_version") != nil,
		v.Exists("max_tokens") && (v.Exists("system") || v.Exists("metadata", "user_id") || v.Exists("tools", "0", "input_schema")):
		return dialect.Likely, "a request for a message"
	case v.Exists("max_tokens"):
		return dialect.Possible, "a request for a message"
	}
	return dialect.No, ""
}

func matchEvent(v *fastjson.Value) (dialect.Confidence, string) {
	typ := v.GetStringBytes("type")
	has := func(keys ...string) bool { return v.GetStringBytes(keys...) != nil }
	indexed := v.Exists("index")
	sure := dialect.No
	switch string(typ) {
	case "message_start":
		if isStart(v.Get("message")) {
			sure = dialect.Certain
		}
	case "content_block_start":
		if indexed && has("content_block", "type") {
			sure = dialect.Certain
		}
	case "content_block_delta":
		if indexed && bytes.HasSuffix(v.GetStringBytes("delta", "type"), []byte("_delta")) {
			sure = dialect.Certain
		}
	case "content_block_stop":
		if indexed {
			sure = dialect.Likely
		}
	case "message_delta":
		switch {
		case v.Exists("delta", "stop_reason"):
			sure = dialect.Certain
		case v.Exists("delta"), v.Exists("usage", "output_tokens"):
			sure = dialect.Likely
		}
	case "message_stop", "ping":
		sure = dialect.Possible
	case "message":
		if isMessage(v) && dialect.IsArray(v.Get("content")) && v.Exists("usage", "output_tokens") {
			if has("id") && has("model") {
				return dialect.Certain, "a message with its usage"
			}
			return dialect.Likely, "a message with its usage"
		}
		return dialect.No, ""
	case "error":
		if has("error", "type") && has("error", "message") {
			return dialect.Possible, "an error"
		}
	}
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the event " + string(typ)
}

// isStart judges the message of a message_start. Other agents use the same name for their
// messages, also for the user's.
func isStart(message *fastjson.Value) bool {
	return string(message.GetStringBytes("type")) == "message" && string(message.GetStringBytes("role")) == "assistant" &&
		message.GetStringBytes("id") != nil
}
