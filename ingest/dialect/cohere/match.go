package cohere

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Other dialects have events of like names; delta.message distinguishes
// these.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if isEndpoint(&head) {
			return dialect.Likely, "POST " + string(head.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if v == nil || v.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchRequest(v)
	}
	said := v.Get("delta", "message")
	typ := v.GetStringBytes("type")
	var certain bool
	switch string(typ) {
	case typeStart:
		certain = said.GetStringBytes("role") != nil
	case "content-start", "content-delta":
		certain = dialect.IsObject(said.Get("content"))
	case "tool-plan-delta":
		certain = said.GetStringBytes("tool_plan") != nil
	case "tool-call-start", "tool-call-delta":
		certain = dialect.IsObject(said.Get("tool_calls", "function"))
	case "citation-start":
		certain = said.Get("citations") != nil
	case typeEnd:
		certain = v.GetStringBytes("delta", "finish_reason") != nil
	case "":
		if v.GetStringBytes("finish_reason") != nil && v.GetStringBytes("message", "role") != nil && dialect.IsObject(v.Get("usage")) {
			if reason := v.GetStringBytes("finish_reason"); !bytes.Equal(reason, bytes.ToUpper(reason)) {
				return dialect.Possible, "a message with its finish_reason and usage"
			}
			return dialect.Certain, "a message with its finish_reason and usage"
		}
		return dialect.No, ""
	case "content-end", "tool-call-end", "citation-end":
		return dialect.Possible, "the event " + string(typ)
	default:
		return dialect.No, ""
	}
	if !certain {
		return dialect.No, ""
	}
	return dialect.Certain, "the event " + string(typ)
}

// matchRequest judges a request's body by members that only this API has.
func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if v.GetStringBytes("model") == nil || v.Get("messages", "0", "role") == nil {
		return dialect.No, ""
	}
	for _, name := range []string{"citation_options", "safety_mode", "strict_tools"} {
		if v.Get(name) != nil {
			return dialect.Likely, "a request with messages and " + name
		}
	}
	return dialect.No, ""
}
