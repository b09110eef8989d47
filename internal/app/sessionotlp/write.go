// Package sessionotlp writes the spans of a session as an OTLP document in the JSON encoding, by the
// OpenTelemetry semantic conventions for generative AI, version 0.1.0.
package sessionotlp

import (
	"io"

	"tapedeck/internal/app/tapefacts"
)

// Options select what a document contains.
type Options struct {
	Version string // of the program
	Content bool   // messages, arguments and results of tools, and the texts of errors
}

// Write writes the spans of a session as one ExportTraceServiceRequest, and returns their number. Equal facts
// make equal bytes.
func Write(out io.Writer, s *tapefacts.Session, o Options) (int, error) {
	c := newConverter(s, o)
	spans := make([]span, len(s.Spans))
	for i := range s.Spans {
		var err error
		if spans[i], err = c.convert(&s.Spans[i]); err != nil {
			return 0, err
		}
	}
	var about attributes
	about.text("service.name", "tapedeck")
	about.text("service.version", o.Version)
	r := request{[]resourceSpans{{resource{about}, []scopeSpans{{scope{"tapedeck", o.Version}, spans}}}}}
	return len(spans), encode(out, r)
}
