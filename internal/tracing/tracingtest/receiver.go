// Package tracingtest provides a collector for OTLP over HTTP to tests.
package tracingtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Receiver is a collector that keeps the received spans.
type Receiver struct {
	URL string

	mu     sync.Mutex // guards the fields below
	spans  []*otlp.Span
	about  []*common.KeyValue
	fields []http.Header
	refuse []int
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Receiver {
	r := &Receiver{}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL
	return r
}

// Refuse makes the next requests fail with the given statuses.
func (r *Receiver) Refuse(statuses ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse = statuses
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var data otlp.TracesData
	if err == nil {
		err = proto.Unmarshal(body, &data)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refuse) > 0 {
		w.WriteHeader(r.refuse[0])
		r.refuse = r.refuse[1:]
		return
	}
	if err != nil || req.URL.Path != "/v1/traces" || req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/x-protobuf" {
		http.Error(w, "not spans", http.StatusBadRequest)
		return
	}
	r.fields = append(r.fields, req.Header.Clone())
	for _, resource := range data.ResourceSpans {
		r.about = resource.Resource.Attributes
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// Spans returns the received spans.
func (r *Receiver) Spans() []*otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// Named returns the received spans with a name.
func (r *Receiver) Named(name string) (named []*otlp.Span) {
	for _, s := range r.Spans() {
		if s.Name == name {
			named = append(named, s)
		}
	}
	return named
}

// Resource returns a text attribute of the resource of the last spans.
func (r *Receiver) Resource(key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return text(r.about, key)
}

// Field returns a header field of the last request.
func (r *Receiver) Field(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.fields) == 0 {
		return ""
	}
	return r.fields[len(r.fields)-1].Get(name)
}

// Text returns a text attribute of a span.
func Text(s *otlp.Span, key string) string { return text(s.Attributes, key) }

func text(all []*common.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}
