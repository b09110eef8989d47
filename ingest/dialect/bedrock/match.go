package bedrock

import (
	"net/url"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/schema"
)

// operation is the operation of a request.
type operation int

const (
	unknownOperation operation = iota // no head was recorded
	converse
	invokeModel
	otherOperation
)

// operationOf reads a request's path: /model/{modelId}/converse-stream.
func operationOf(path []byte) (model string, op operation) {
	_, rest, ok := strings.Cut(string(path), "/model/")
	i := max(strings.LastIndexByte(rest, '/'), 0) // an ARN contains slashes
	model = rest[:i]
	if plain, err := url.PathUnescape(model); err == nil {
		model = plain
	}
	switch action := strings.TrimPrefix(rest[i:], "/"); {
	case !ok || model == "":
	case action == "converse", action == "converse-stream":
		return model, converse
	case action == "invoke", action == "invoke-with-response-stream":
		return model, invokeModel
	}
	return "", otherOperation
}

// match judges a frame by itself.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if _, op := operationOf(head.Path); op != otherOperation && string(head.Method) == "POST" {
			return dialect.Likely, "POST " + dialect.Short(head.Path)
		}
		return dialect.No, ""
	}
	if in.JSON == nil || in.Direction == schema.Send {
		return dialect.No, ""
	}
	name, p := partOf(in)
	if !dialect.IsObject(p.v) {
		return dialect.No, ""
	}
	if string(name) == "chunk" {
		return matchChunk(in, p)
	}
	if sure := matchWhole(in.JSON); sure != dialect.No {
		return sure, "an output with a message and its stopReason"
	}
	sure := matchEvent(name, p)
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the event " + string(name)
}

// matchWhole judges the answer of Converse that is not streamed.
func matchWhole(v *fastjson.Value) dialect.Confidence {
	if !dialect.IsArray(v.Get("output", "message", "content")) || v.GetStringBytes("output", "message", "role") == nil {
		return dialect.No
	}
	stopped, counted := v.GetStringBytes("stopReason") != nil, dialect.IsNumber(v.Get("usage", "inputTokens"))
	switch {
	case stopped && counted:
		return dialect.Certain
	case stopped, counted:
		return dialect.Likely
	}
	return dialect.No
}

// matchEvent judges an event of ConverseStream.
func matchEvent(name []byte, p part) dialect.Confidence {
	indexed := dialect.IsNumber(p.v.Get("contentBlockIndex"))
	switch string(name) {
	case "contentBlockStart":
		if indexed && dialect.IsObject(p.v.Get("start")) {
			return dialect.Certain
		}
	case "contentBlockDelta":
		if indexed && dialect.IsObject(p.v.Get("delta")) {
			return dialect.Certain
		}
	case "contentBlockStop":
		if indexed {
			return dialect.Likely
		}
	case "messageStart":
		if p.v.GetStringBytes("role") != nil {
			return dialect.Likely
		}
	case "messageStop":
		if p.v.GetStringBytes("stopReason") != nil {
			return dialect.Likely
		}
	case "metadata":
		if p.v.Exists("usage", "inputTokens") {
			return dialect.Likely
		}
	default:
		if isException(name) && p.v.GetStringBytes("message") != nil {
			return dialect.Possible
		}
	}
	return dialect.No
}

// matchChunk judges a message of InvokeModel by the event that it wraps.
func matchChunk(in *dialect.Input, p part) (sure dialect.Confidence, why string) {
	data := unwrap(p.v)
	if data == nil {
		return dialect.No, ""
	}
	sure, why = dialect.Possible, "a chunk of bytes"
	parsed(data, func(inside *dialect.Input) {
		inside.Frame = &schema.Frame{Direction: in.Direction}
		if s, what := anthropic.Dialect.Match(inside); s > sure {
			sure, why = s, what+", inside of a chunk's bytes"
		}
		event, q := wrappedEvent(inside)
		if s := matchEvent(event, q); s > sure {
			sure, why = s, "the event "+string(event)+", inside of a chunk's bytes"
		}
		switch {
		case in.Transport != schema.EventStream || !dialect.IsObject(inside.JSON):
		case inside.JSON.Get(invocationMetrics) != nil && sure < dialect.Certain:
			sure, why = dialect.Certain, "invocationMetrics, inside of a chunk's bytes"
		case sure < dialect.Likely:
			sure, why = dialect.Likely, "a chunk whose bytes are an object"
		}
	})
	return sure, why
}
