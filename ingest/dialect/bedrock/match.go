package bedrock

import (
	"bytes"
	"net/url"
	"strings"

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
	sure := matchEvent(name, p)
	if sure == dialect.No {
		return sure, ""
	}
	return sure, "the event " + string(name)
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
		if bytes.HasSuffix(name, []byte("Exception")) && p.v.GetStringBytes("message") != nil {
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
	})
	return sure, why
}
