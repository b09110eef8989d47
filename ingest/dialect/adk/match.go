package adk

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if path := bytes.TrimSuffix(head.Path, []byte("/")); isRun(&head) && bytes.HasSuffix(path, []byte("_sse")) {
			return dialect.Likely, "POST " + string(head.Path)
		}
		return dialect.No, ""
	}
	v := in.JSON
	if v == nil {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		if len(member(v, "sessionId", "session_id")) > 0 && newMessage(v).Get("parts") != nil {
			return dialect.Likely, "a request with a newMessage for a sessionId"
		}
		return dialect.No, ""
	}
	if v.Type() == fastjson.TypeArray {
		v = v.Get("0")
	}
	return matchEvent(v)
}

// matchEvent judges an event.
func matchEvent(v *fastjson.Value) (dialect.Confidence, string) {
	if v.GetStringBytes("invocationId") == nil || v.GetStringBytes("author") == nil {
		return dialect.No, ""
	}
	if v.Exists("actions") || v.Exists("content", "parts") || v.Exists("errorCode") {
		return dialect.Certain, "an event with its invocationId and author"
	}
	return dialect.Likely, "an invocationId with its author"
}
