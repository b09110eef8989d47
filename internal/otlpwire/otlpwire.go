// Package otlpwire reads the export requests of OTLP for traces and logs, in both encodings: binary
// Protobuf and JSON. It keeps the bytes of each span and log record, so that a request can be
// divided without a change to them. It reads the fields from which facts are derived and skips all
// others.
package otlpwire

import (
	"bytes"
	"errors"
	"time"

	"tapedeck/internal/wellformed"
)

// Signal is the kind of a request's items.
type Signal string

// Signals of requests that Parse reads.
const (
	Traces Signal = "traces"
	Logs   Signal = "logs"
)

// Export is an ExportTraceServiceRequest or an ExportLogsServiceRequest.
type Export struct {
	Signal Signal // "" for a request without items whose bytes do not say which it is
	JSON   bool   // its encoding
	Groups []Group
}

// Group is a ResourceSpans or a ResourceLogs.
type Group struct {
	Resource Attributes
	Scopes   []Scope
	rest     []byte // the fields other than the scopes, as they were encoded; not set for JSON
}

// Scope is a ScopeSpans or a ScopeLogs.
type Scope struct {
	Name  string // of the instrumentation scope
	Items []Item
	rest  []byte // the fields other than the items, as they were encoded; not set for JSON
}

// Item is a Span or a LogRecord. Ids are in hexadecimal, in lower case, and "" if they are not set.
type Item struct {
	TraceID, SpanID, ParentID string
	Name                      string // of a span; the event name of a log record
	Start, End                int64  // ns; of a log record both are its time, or the time at which it was observed
	Attributes                Attributes
	Events                    []Event // of a span
	Failed                    bool    // the status of a span is an error
	Status                    string  // the message of a span's status
	Body                      Value   // of a log record

	raw []byte // as it was encoded; not set for JSON
}

// Event is an event of a span.
type Event struct {
	Name       string
	At         int64 // ns
	Attributes Attributes
}

// ErrMalformed reports bytes that are not an export request.
var ErrMalformed = errors.New("not an OTLP export request")

// maxDepth bounds the nesting of values. Deeper values are read as unset.
const maxDepth = 32

// IsJSON reports whether a request is encoded as JSON. No binary request begins with a brace, but
// one may begin with a line feed, the tag of its first field, and the length 123, which is a brace.
func IsJSON(data []byte) bool {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{' && (data[0] != '\n' || wellformed.JSON(data))
}

// Parse reads a request. It does not alias data, except in what Divide uses. The error wraps
// ErrMalformed, or is a *BoundError.
func Parse(data []byte) (*Export, error) {
	if IsJSON(data) {
		return parseJSON(data)
	}
	return parseBinary(data)
}

// Count returns the number of items.
func (e *Export) Count() (n int) {
	for i := range e.Groups {
		for k := range e.Groups[i].Scopes {
			n += len(e.Groups[i].Scopes[k].Items)
		}
	}
	return n
}

// All calls use with each item, in order.
func (e *Export) All(use func(g *Group, s *Scope, item *Item)) {
	for i := range e.Groups {
		for k := range e.Groups[i].Scopes {
			s := &e.Groups[i].Scopes[k]
			for n := range s.Items {
				use(&e.Groups[i], s, &s.Items[n])
			}
		}
	}
}

// Timed reports whether the item has the times of a clock: it ended after 2000, and not before it
// started.
func (item *Item) Timed() bool { return item.End >= oldest && item.End >= item.Start }

// oldest is 2000-01-01, ns.
const oldest = 946684800 * int64(time.Second)
