package anthropicagent

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// The paths of requests end in these suffixes, at any place where a server mounts them.
const (
	runPath     = "/agent/run"
	resultsPath = "/agent/tool_results"
)

// match judges one frame.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		for _, path := range []string{runPath, resultsPath} {
			if string(head.Method) == "POST" && bytes.HasSuffix(head.Path, []byte(path)) {
				return dialect.Likely, "POST " + dialect.Short(head.Path)
			}
		}
		return dialect.No, ""
	}
	if in.JSON != nil && in.JSON.Type() == fastjson.TypeObject {
		if in.Direction == schema.Send {
			return matchRequest(in.JSON)
		}
		return matchObject(in.JSON)
	}
	data := bytes.TrimSpace(in.Data)
	switch {
	case in.Direction == schema.Send:
	case bytes.HasPrefix(data, []byte("<meta_init data=")):
		return dialect.Certain, "the tag meta_init"
	case bytes.HasPrefix(data, []byte("<content-block-")):
		return dialect.Certain, "a tag content-block-…"
	case bytes.HasPrefix(data, []byte("<awaiting_frontend_tools")), bytes.HasPrefix(data, []byte("<meta_final data=")):
		return dialect.Certain, "a tag of anthropic_agent"
	}
	return dialect.No, ""
}

func matchRequest(v *fastjson.Value) (dialect.Confidence, string) {
	has := func(key string) bool { return v.GetStringBytes(key) != nil }
	switch {
	case v.Exists("user_prompt") && (has("agent_uuid") || has("agent_type")):
		return dialect.Likely, "a request with user_prompt"
	case has("agent_uuid") && v.Exists("tool_results"):
		return dialect.Likely, "a request with tool_results"
	}
	return dialect.No, ""
}

func matchObject(v *fastjson.Value) (dialect.Confidence, string) {
	switch {
	case isEnvelope(v):
		return dialect.Certain, "an envelope with type, agent, final and delta"
	case isException(v):
		return dialect.Possible, "an exception with its traceback"
	}
	return dialect.No, ""
}

// isEnvelope reports whether a frame is an envelope: it has the four members that all envelopes
// have. Its delta may be null or of another type.
func isEnvelope(v *fastjson.Value) bool {
	if v.Get("agent") == nil || v.GetStringBytes("type") == nil {
		return false
	}
	delta := v.Get("delta")
	return delta != nil && delta.Type() != fastjson.TypeObject && delta.Type() != fastjson.TypeArray && v.Get("final") != nil
}

// isException reports whether a frame is the exception that a server sends when its agent fails: an
// object without a type.
func isException(v *fastjson.Value) bool {
	return v.GetStringBytes("error") != nil && v.Exists("message") && v.Exists("traceback") && !v.Exists("type")
}
