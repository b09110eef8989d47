package otlphttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	about "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/bounded"
	"tapedeck/internal/h2c"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	binary = "application/x-protobuf"
	asJSON = "application/json"
)

// server is a real HTTP server with a Handler, and what it recorded.
type server struct {
	mem  *ingesttest.Memory
	http *httptest.Server
}

func serve(t *testing.T, opts otlphttp.Options) *server {
	t.Helper()
	s := &server{mem: &ingesttest.Memory{}}
	h := otlphttp.NewHandler(ingest.NewRecorder(s.mem, ingest.Settings{}), opts)
	mux := http.NewServeMux()
	for path, handle := range map[string]func(http.ResponseWriter, *http.Request, string){
		"/v1/traces": h.Traces, "/v1/logs": h.Logs, "/v1/metrics": h.Metrics,
		otlphttp.TracesMethod: h.GRPCTraces, otlphttp.LogsMethod: h.GRPCLogs, otlphttp.MetricsMethod: h.GRPCMetrics,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { handle(w, r, r.Header.Get("Tenant")) })
	}
	ctx, stop := context.WithCancel(t.Context())
	s.http = httptest.NewUnstartedServer(mux)
	s.http.Config.Protocols = h2c.Protocols()
	s.http.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.http.Start()
	t.Cleanup(func() {
		s.http.Client().CloseIdleConnections()
		s.http.Close()
		stop()
		bounded.Wait(t, s.mem.Wait)
	})
	return s
}

// response is an answer with its body.
type response struct {
	*http.Response
	body []byte
}

func (s *server) send(t *testing.T, path, media string, body io.Reader, fields ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", media)
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		r.Header.Set(name, value)
	}
	resp, err := s.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{resp, text}
}

func (s *server) traces(t *testing.T, data []byte, fields ...string) response {
	t.Helper()
	return s.send(t, "/v1/traces", binary, bytes.NewReader(data), fields...)
}

// frames returns the bytes of the frames of each session, those of a repeated stream once.
func (s *server) frames(t *testing.T) map[string][]string {
	t.Helper()
	type key struct {
		stream string
		seq    uint64
	}
	found, seen := map[string][]string{}, map[key]bool{}
	for _, b := range s.mem.Blocks() {
		for _, f := range b.Frames {
			if k := (key{b.State.StreamID, f.Seq}); !seen[k] {
				seen[k] = true
				found[b.Session] = append(found[b.Session], string(f.Raw))
			}
		}
	}
	return found
}

// usages returns the latest usage records of each session, by id.
func (s *server) usages() map[string]map[string]schema.Usage {
	found := map[string]map[string]schema.Usage{}
	for _, b := range s.mem.Blocks() {
		for _, u := range b.Facts.Usages {
			if found[b.Session] == nil {
				found[b.Session] = map[string]schema.Usage{}
			}
			found[b.Session][u.ID] = u
		}
	}
	return found
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, n int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}}
}

// began is when the spans of tests begin, ns: 2026-01-01.
const began = uint64(1767225600_000_000_000)

// span returns a span of a trace, from second at to the next.
func span(trace_, id byte, at uint64, attributes ...*common.KeyValue) *trace.Span {
	return &trace.Span{
		TraceId: bytes.Repeat([]byte{trace_}, 16), SpanId: bytes.Repeat([]byte{id}, 8), Name: "chat m",
		StartTimeUnixNano: began + at*1e9, EndTimeUnixNano: began + (at+1)*1e9, Attributes: attributes,
	}
}

// chat returns a call of a model.
func chat(trace_, id byte, at uint64, more ...*common.KeyValue) *trace.Span {
	return span(trace_, id, at, append(slices.Clone(more), text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "m"),
		number("gen_ai.usage.input_tokens", 10), number("gen_ai.usage.output_tokens", 5))...)
}

// request returns an ExportTraceServiceRequest, whose encoding is that of TracesData.
func request(t testing.TB, spans ...*trace.Span) []byte {
	t.Helper()
	return marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &about.Resource{Attributes: []*common.KeyValue{text("service.name", "shop")}},
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "lib"}, Spans: spans}},
	}}})
}

func logRequest(t *testing.T, records ...*logs.LogRecord) []byte {
	t.Helper()
	return marshal(t, &logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{
		Resource:  &about.Resource{Attributes: []*common.KeyValue{text("service.name", "claude-code")}},
		ScopeLogs: []*logs.ScopeLogs{{LogRecords: records}},
	}}})
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data) // a buffer does not fail
	_ = w.Close()
	return out.Bytes()
}
