package sessionotlp

import (
	"encoding/json"
	"io"
	"strings"
)

// The types below are the messages of OTLP in their JSON encoding: ids are hexadecimal, enumerations are
// numbers, and integers of 64 bits are strings. See
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.

// request is an ExportTraceServiceRequest.
type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes attributes `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type span struct {
	TraceID    string     `json:"traceId"`
	SpanID     string     `json:"spanId"`
	Parent     string     `json:"parentSpanId,omitempty"`
	Name       string     `json:"name"`
	Kind       kind       `json:"kind"`
	Start      int64      `json:"startTimeUnixNano,string"`
	End        int64      `json:"endTimeUnixNano,string"`
	Attributes attributes `json:"attributes"`
	Status     status     `json:"status"`
}

// kind is a SpanKind.
type kind int

const (
	kindInternal kind = 1
	kindClient   kind = 3
)

type status struct {
	Message string     `json:"message,omitempty"`
	Code    statusCode `json:"code,omitempty"`
}

// statusCode is a StatusCode. A span without a code did not fail.
type statusCode int

const codeError statusCode = 2

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is an AnyValue. One of its fields is set.
type value struct {
	Text   *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *int64   `json:"intValue,string,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
	Array  *array   `json:"arrayValue,omitempty"`
}

type array struct {
	Values []value `json:"values"`
}

type attributes []attribute

// text adds a text, unless it is empty.
func (a *attributes) text(key, text string) {
	if text != "" {
		*a = append(*a, attribute{key, value{Text: &text}})
	}
}

func (a *attributes) boolean(key string, b bool) {
	*a = append(*a, attribute{key, value{Bool: &b}})
}

func (a *attributes) integer(key string, n int64) {
	*a = append(*a, attribute{key, value{Int: &n}})
}

func (a *attributes) double(key string, f float64) {
	*a = append(*a, attribute{key, value{Double: &f}})
}

// texts adds a list, unless it is empty.
func (a *attributes) texts(key string, list []string) {
	if len(list) == 0 {
		return
	}
	values := make([]value, len(list))
	for i := range list {
		values[i].Text = &list[i]
	}
	*a = append(*a, attribute{key, value{Array: &array{values}}})
}

// json adds a value as JSON text.
func (a *attributes) json(key string, v any) error {
	var text strings.Builder
	err := encode(&text, v)
	a.text(key, strings.TrimSuffix(text.String(), "\n"))
	return err
}

// encode writes a value as a line of JSON, with the characters that HTML reserves as they are.
func encode(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
