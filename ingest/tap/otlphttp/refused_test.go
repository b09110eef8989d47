package otlphttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// message reads the text of a google.rpc.Status, field 2.
func message(t *testing.T, r response) string {
	t.Helper()
	if r.Header.Get("Content-Type") == asJSON {
		var status struct{ Message string }
		if err := json.Unmarshal(r.body, &status); err != nil {
			t.Fatalf("%q: %v", r.body, err)
		}
		return status.Message
	}
	num, typ, n := protowire.ConsumeTag(r.body)
	if num != 2 || typ != protowire.BytesType {
		t.Fatalf("not a status: %q", r.body)
	}
	text, _ := protowire.ConsumeBytes(r.body[n:])
	return string(text)
}

// field returns a length-delimited field.
func field(num protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
}

func TestRefused(t *testing.T) {
	good := request(t, chat(1, 1, 0))
	many := make([]*trace.Span, 1025)
	for i := range many {
		many[i] = span(1, 1, 0)
		many[i].TraceId = append([]byte{byte(i >> 8), byte(i)}, many[i].TraceId[2:]...)
	}
	for name, tc := range map[string]struct {
		path, media string
		body        []byte
		fields      []string
		status      int
		says        string
	}{
		"no protobuf":        {"/v1/traces", binary, []byte("hello"), nil, 400, "not an OTLP export request"},
		"cut off":            {"/v1/traces", binary, good[:len(good)-3], nil, 400, "not an OTLP export request"},
		"other JSON":         {"/v1/traces", asJSON, []byte(`{"spans":[]}`), nil, 400, "not an OTLP export request"},
		"no JSON":            {"/v1/traces", asJSON, []byte(`{"resourceSpans":`), nil, 400, "not an OTLP export request"},
		"another signal":     {"/v1/logs", binary, good, nil, 400, "not an export request for logs"},
		"another encoding":   {"/v1/traces", asJSON, good, nil, 400, "in the encoding of its Content-Type"},
		"another media type": {"/v1/traces", "text/plain", good, nil, 415, "application/x-protobuf"},
		"brotli":             {"/v1/traces", binary, good, []string{"Content-Encoding: br"}, 415, "gzip"},
		"no gzip":            {"/v1/traces", binary, good, []string{"Content-Encoding: gzip"}, 400, "cannot be read"},
		"gzip cut off":       {"/v1/traces", binary, gzipped(good)[:30], []string{"Content-Encoding: gzip"}, 400, "cannot be read"},
		"too many sessions":  {"/v1/traces", binary, request(t, many...), nil, 413, "1025 sessions"},
		"too many items":     {"/v1/logs", binary, field(1, field(2, bytes.Repeat([]byte{2<<3 | 2, 0}, 100_001))), nil, 413, "more than 100000 spans or log records"},
		"metrics":            {"/v1/metrics", binary, nil, nil, 404, "no metrics"},
		"metrics as JSON":    {"/v1/metrics", asJSON, []byte("{}"), nil, 404, "OTEL_METRICS_EXPORTER"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, otlphttp.Options{})
			resp := s.send(t, tc.path, tc.media, bytes.NewReader(tc.body), tc.fields...)
			if resp.StatusCode != tc.status || !strings.Contains(message(t, resp), tc.says) {
				t.Errorf("%s: %q, want %d with %q", resp.Status, message(t, resp), tc.status, tc.says)
			}
			if n := len(s.mem.Blocks()); n != 0 {
				t.Errorf("%d blocks were recorded", n)
			}
		})
	}
	s := serve(t, otlphttp.Options{})
	for _, path := range []string{"/v1/traces", "/v1/logs", "/v1/metrics"} {
		resp := s.send(t, path+"?session=x", binary, bytes.NewReader(good))
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(resp.body), `"parameter":"session"`) {
			t.Errorf("%s with a parameter: %s %q", path, resp.Status, resp.body)
		}
	}
	for media, body := range map[string]string{binary: "", asJSON: `{}`} {
		if resp := s.send(t, "/v1/traces", media, strings.NewReader(body)); resp.StatusCode != http.StatusOK {
			t.Errorf("an empty request: %s %q", resp.Status, resp.body)
		}
	}
}

// 100 MB of attributes are refused by their size, before all of it is read or decoded.
func TestTooLarge(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_limits_total")
	huge := request(t, span(1, 1, 0, text("x", strings.Repeat("x", 100<<20))))
	for name, tc := range map[string]struct {
		body   []byte
		fields []string
	}{"plain": {huge, nil}, "gzip": {gzipped(huge), []string{"Content-Encoding: gzip"}}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, otlphttp.Options{})
			resp := s.traces(t, tc.body, tc.fields...)
			if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(message(t, resp), "--max-frame-bytes") {
				t.Errorf("%s %q", resp.Status, message(t, resp))
			}
		})
	}
	// A large resource would be repeated in each of many sessions.
	spans := make([]*trace.Span, 1000)
	for i := range spans {
		spans[i] = span(byte(i), byte(i), 0)
		spans[i].TraceId[15] = byte(i >> 8)
	}
	s := serve(t, otlphttp.Options{})
	data := marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: strings.Repeat("x", 1<<20)}, Spans: spans}},
	}}})
	if resp := s.traces(t, data); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%s %q", resp.Status, message(t, resp))
	}
}

// The attributes of a resource are read once, and not for each of its items.
func TestLargeResource(t *testing.T) {
	s := serve(t, otlphttp.Options{Timeout: bounded.Limit})
	resource := field(1, bytes.Repeat([]byte{1<<3 | 2, 0}, 300_000))
	data := field(1, append(resource, field(2, bytes.Repeat([]byte{2<<3 | 2, 0}, 100_000))...))
	if resp := s.send(t, "/v1/logs", binary, bytes.NewReader(data)); resp.StatusCode != http.StatusOK {
		t.Errorf("%s %q", resp.Status, message(t, resp))
	}
	if n := len(s.frames(t)["otlp"]) + len(s.frames(t)["otlp "]); n != 1 {
		t.Errorf("%d frames, want 1", n)
	}
}

// A client whose request cannot be made durable sends it again later.
func TestBusy(t *testing.T) {
	for name, fault := range map[string]func(*ingesttest.Memory){
		"refused":     func(m *ingesttest.Memory) { m.Refuse(errors.New("the spool is full")) },
		"abandoned":   func(m *ingesttest.Memory) { m.Abandon(errors.New("the spool is full")) },
		"pushed back": func(m *ingesttest.Memory) { m.Stall() },
	} {
		t.Run(name, func(t *testing.T) {
			metrictest.Grow(t, "tapedeck_otlp_requests_total")
			s := serve(t, otlphttp.Options{Timeout: 100 * time.Millisecond})
			fault(s.mem)
			resp := s.traces(t, request(t, chat(1, 1, 0)))
			if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" {
				t.Errorf("%s %q, Retry-After %q", resp.Status, message(t, resp), resp.Header.Get("Retry-After"))
			}
			s.mem.Resume()
		})
	}
}

// Items of a session that was deleted meanwhile are rejected, and not sent again.
func TestDeleted(t *testing.T) {
	metrictest.Grow(t, "tapedeck_otlp_rejected_items_total")
	const why = "Their session was deleted while they were recorded."
	partial := protowire.AppendString([]byte{1 << 3, 2, 2<<3 | 2}, why) // rejected_spans and error_message
	for media, want := range map[string]string{
		binary: string(protowire.AppendBytes([]byte{1<<3 | 2}, partial)),
		asJSON: `{"partialSuccess":{"errorMessage":"` + why + `","rejectedSpans":"1"}}`,
	} {
		s := serve(t, otlphttp.Options{})
		s.mem.Abandon(ingest.Permanent(&ingest.DeletedError{Reason: "the session was deleted"}))
		var body io.Reader = bytes.NewReader(request(t, chat(1, 1, 0), span(1, 2, 0)))
		if media == asJSON {
			body = strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"}]}]}]}`)
		}
		resp := s.send(t, "/v1/traces", media, body)
		if resp.StatusCode != http.StatusOK || string(resp.body) != want {
			t.Errorf("%s %q, want %q", resp.Status, resp.body, want)
		}
	}
}

func TestSlowBody(t *testing.T) {
	s := serve(t, otlphttp.Options{BodyTimeout: 50 * time.Millisecond})
	from, to := io.Pipe()
	defer to.Close()
	go func() { _, _ = to.Write([]byte("\x0a")) }()
	resp := s.send(t, "/v1/traces", binary, from)
	if resp.StatusCode != http.StatusRequestTimeout {
		t.Errorf("%s %q", resp.Status, resp.body)
	}
}
