package otlpforward

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
)

// document is an ExportTraceServiceRequest in the JSON encoding of OTLP with one resource and one scope, as the
// server writes it.
type document struct {
	Resources []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource json.RawMessage `json:"resource"`
	Scopes   []scopeSpans    `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope json.RawMessage   `json:"scope"`
	Spans []json.RawMessage `json:"spans"`
}

// requests splits a document into requests of at most so many bytes, as gzip, and returns them with the number of
// spans of each. A span that is larger is a request of its own.
func requests(text []byte, most int) (bodies [][]byte, spans []int, err error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, nil, fmt.Errorf("read the document of the server: %w", err)
	}
	for _, r := range d.Resources {
		for _, s := range r.Scopes {
			for from := 0; from < len(s.Spans); {
				to, size := from, 0
				for to < len(s.Spans) && (to == from || size+len(s.Spans[to]) <= most) {
					size += len(s.Spans[to])
					to++
				}
				var body bytes.Buffer
				w := gzip.NewWriter(&body)
				e := json.NewEncoder(w)
				e.SetEscapeHTML(false)
				part := document{[]resourceSpans{{r.Resource, []scopeSpans{{s.Scope, s.Spans[from:to]}}}}}
				if err := e.Encode(part); err != nil {
					return nil, nil, err
				}
				if err := w.Close(); err != nil {
					return nil, nil, err
				}
				bodies, spans = append(bodies, body.Bytes()), append(spans, to-from)
				from = to
			}
		}
	}
	return bodies, spans, nil
}
