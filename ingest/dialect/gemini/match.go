package gemini

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if _, generates := endpointOf(head.Path); generates && string(head.Method) == "POST" {
			return dialect.Likely, "POST " + string(head.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if v == nil {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchRequest(v)
	}
	if v.Type() == fastjson.TypeArray {
		v = v.Get("0")
	}
	return matchResponse(v)
}

func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if inside := v.Get("request"); inside != nil {
		v = inside
	}
	if v.Get("contents", "0", "parts", "0") != nil {
		return dialect.Likely, "contents with parts"
	}
	return dialect.No, ""
}

// matchResponse judges a GenerateContentResponse. Other protocols have candidates, and others
// have usageMetadata of the same form, but none has both.
func matchResponse(v *fastjson.Value) (dialect.Confidence, string) {
	if inside := v.Get("response"); dialect.IsObject(inside) {
		v = inside
	}
	if !dialect.IsObject(v) {
		return dialect.No, ""
	}
	c := v.Get("candidates", "0")
	content := c.Get("content", "parts") != nil || c.GetStringBytes("content", "role") != nil
	finish := c.GetStringBytes("finishReason") != nil || dialect.IsNumber(c.Get("finishReason"))
	usage := v.Get("usageMetadata", "promptTokenCount") != nil || v.Get("usageMetadata", "totalTokenCount") != nil
	named := v.GetStringBytes("modelVersion") != nil && v.Get("invocationId") == nil // otherwise an event of ADK
	switch {
	case (content || finish) && (usage || named):
		return dialect.Certain, "candidates with their model or usage"
	case usage && named:
		return dialect.Certain, "usageMetadata with modelVersion"
	case content, finish:
		return dialect.Likely, "candidates with content"
	case v.GetStringBytes("promptFeedback", "blockReason") != nil, usage && dialect.IsNumber(v.Get("promptFeedback", "blockReason")):
		return dialect.Likely, "a promptFeedback"
	case usage:
		return dialect.Possible, "a usageMetadata"
	case v.GetInt("error", "code") != 0 && v.GetStringBytes("error", "status") != nil:
		return dialect.Possible, "an error with code and status"
	}
	return dialect.No, ""
}
