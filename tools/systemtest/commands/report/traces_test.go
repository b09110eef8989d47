package report

import (
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/tracing/tracingtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A server sends the traces of its work: requests under the span of their client, messages to
// JetStream, inserts with links to the messages, statements under their request. They hold nothing of what was recorded or asked.
func TestTraces(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	r := tracingtest.New(t)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	s, err := commandtest.StartUp(t, t.TempDir(), "--otlp-endpoint", r.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if took, err := s.Stop(); err != nil {
			t.Errorf("%v after %v\n%s", err, took, s.Log)
		}
	}()
	const of, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	send := func(method, path, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Traceparent", "00-"+of+"-"+parent+"-01")
		req.Header.Set("Content-Type", "application/x-ndjson")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s %v", method, path, resp.Status, err)
		}
	}
	send("POST", "/v1/ingest?session=traced-session&dialect=generic", "{\"text\":\"the content\"}\n")
	send("GET", "/v1/sessions?tag=asked-for:x", "")
	// one waits for a span whose name begins so.
	one := func(name string, fits func(*otlp.Span) bool) (found *otlp.Span) {
		t.Helper()
		bounded.Until(t, "the span "+name, func() bool {
			for _, span := range r.Spans() {
				if strings.HasPrefix(span.Name, name) && fits(span) {
					found = span
				}
			}
			return found != nil
		})
		return found
	}
	ours := func(s *otlp.Span) bool { return hex.EncodeToString(s.TraceId) == of }
	for _, route := range []string{"POST /v1/ingest", "GET /v1/sessions"} {
		request := one(route, ours)
		if hex.EncodeToString(request.ParentSpanId) != parent || request.Kind != otlp.Span_SPAN_KIND_SERVER {
			t.Errorf("%v", request)
		}
	}
	published := one("publish TAPEDECK", func(s *otlp.Span) bool { return s.Kind == otlp.Span_SPAN_KIND_PRODUCER })
	one("sink insert", func(s *otlp.Span) bool {
		return len(s.Links) > 0 && string(s.Links[0].SpanId) == string(published.SpanId)
	})
	one("clickhouse ", ours)
	for _, span := range r.Spans() {
		for _, secret := range []string{"the content", "asked-for", "traced-session"} {
			if strings.Contains(span.String(), secret) {
				t.Errorf("a span holds %q: %v", secret, span)
			}
		}
	}
}
