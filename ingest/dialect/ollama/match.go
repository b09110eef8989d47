package ollama

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Many servers use the same paths, and requests resemble those of other
// APIs; the answers identify this API.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		switch {
		case !isEndpoint(&head):
			return dialect.No, ""
		case isClient(head.Field("User-Agent")):
			return dialect.Certain, "POST " + string(head.Path) + " of a client of Ollama"
		}
		return dialect.Possible, "POST " + string(head.Path)
	}
	v := in.JSON
	if v == nil || v.Type() != fastjson.TypeObject {
		return dialect.No, ""
	}
	if in.Direction == schema.Send {
		return matchRequest(v)
	}
	done := v.Get("done")
	states := done != nil && (done.Type() == fastjson.TypeTrue || done.Type() == fastjson.TypeFalse)
	if !states || v.GetStringBytes("model") == nil || v.GetStringBytes("created_at") == nil {
		return dialect.No, ""
	}
	switch {
	case v.GetStringBytes("message", "role") != nil:
		return dialect.Certain, "a message with model, created_at and done"
	case v.GetStringBytes("response") != nil:
		return dialect.Certain, "a response with model, created_at and done"
	case v.Get("eval_count") != nil:
		return dialect.Certain, "an end with eval_count"
	}
	return dialect.Possible, "model, created_at and done"
}

// isClient reports whether a User-Agent is one of Ollama's own libraries: ollama-python,
// ollama-js, or ollama for the Go library.
func isClient(agent []byte) bool {
	name, _, _ := bytes.Cut(agent, []byte("/"))
	return string(name) == "ollama" || bytes.HasPrefix(name, []byte("ollama-"))
}

// matchRequest judges a request's body by members that only this API has.
func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	if v.GetStringBytes("model") == nil || v.Get("messages", "0", "role") == nil && v.GetStringBytes("prompt") == nil {
		return dialect.No, ""
	}
	if v.Get("keep_alive") != nil || dialect.IsObject(v.Get("options")) {
		return dialect.Likely, "a request with options or keep_alive"
	}
	return dialect.No, ""
}
