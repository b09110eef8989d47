package otlphttp_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
)

// ids in hexadecimal, as sessions of traces have them.
func traceID(b byte) string { return strings.Repeat(fmt.Sprintf("%02x", b), 16) }

// A request of one session is a frame with the bytes that were sent, their encoding undone. Its time
// is that of its last span.
func TestOneSession(t *testing.T) {
	metrictest.Grow(t, "tapedeck_otlp_bytes_total", "tapedeck_otlp_items_total")
	data := request(t, chat(1, 1, 0, text("gen_ai.conversation.id", "c-1")), span(1, 2, 7))
	inJSON := []byte(`{"resourceSpans":[ {"scopeSpans":[{"spans":[{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174",` +
		`"name":"chat m","startTimeUnixNano":"1767225600000000000","endTimeUnixNano":1767225607000000000,"attributes":[` +
		`{"key":"session.id","value":{"stringValue":"c-1"}}],"unknown":{"a":[1]}}]}]}]}`)
	for name, tc := range map[string]struct {
		media  string
		sent   []byte
		want   []byte
		fields []string
		ends   int64
	}{
		"binary":      {binary, data, data, nil, 8},
		"binary gzip": {binary, gzipped(data), data, []string{"Content-Encoding: gzip"}, 8},
		"json":        {asJSON + "; charset=utf-8", inJSON, inJSON, nil, 7},
		"json gzip":   {asJSON, gzipped(inJSON), inJSON, []string{"Content-Encoding: gzip"}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, otlphttp.Options{})
			resp := s.send(t, "/v1/traces", tc.media, bytes.NewReader(tc.sent), tc.fields...)
			want := ""
			if strings.HasPrefix(tc.media, asJSON) {
				want = "{}"
			}
			if resp.StatusCode != http.StatusOK || string(resp.body) != want || !strings.HasPrefix(tc.media, resp.Header.Get("Content-Type")) {
				t.Fatalf("%s %q %s", resp.Status, resp.body, resp.Header.Get("Content-Type"))
			}
			if diff := cmp.Diff(map[string][]string{"c-1": {string(tc.want)}}, s.frames(t)); diff != "" {
				t.Error(diff)
			}
			state, _ := s.mem.State(s.mem.Streams()[0], "c-1")
			if at := int64(began) + tc.ends*1e9; state.FirstAt != at || state.Ended != at {
				t.Errorf("from %d to %d, want %d", state.FirstAt, state.Ended, at)
			}
			if state.Dialect != "otlp" || state.EndReason != schema.EndEOF || !strings.Contains(state.Evidence, "not a recorded stream") {
				t.Errorf("state %+v", state)
			}
		})
	}
}

// A request of several sessions is divided: each has its own spans with their resource and scope,
// and nothing of the others.
func TestSeveralSessions(t *testing.T) {
	named := func(name string) []byte {
		return request(t, chat(1, 1, 0, text("gen_ai.conversation.id", name)))
	}
	s := serve(t, otlphttp.Options{})
	spans := []*trace.Span{
		chat(1, 1, 0, text("gen_ai.conversation.id", "a")), chat(2, 2, 1, text("session.id", "b")),
		span(1, 3, 2), span(3, 4, 3), chat(2, 5, 4, text("ai.telemetry.metadata.sessionId", "c")),
	}
	if resp := s.traces(t, request(t, spans...)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, resp.body)
	}
	want := map[string][]string{
		"a": {string(request(t, spans[0], spans[2]))}, "b": {string(request(t, spans[1]))}, "c": {string(request(t, spans[4]))},
		traceID(3): {string(request(t, spans[3]))},
	}
	if diff := cmp.Diff(want, s.frames(t)); diff != "" {
		t.Error(diff)
	}
	if string(named("a")) != string(request(t, spans[0])) {
		t.Error("requests of tests differ")
	}
}

// The same in JSON. The texts of spans and resources stay as they were.
func TestSeveralSessionsJSON(t *testing.T) {
	one := `{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"<\u0061>","endTimeUnixNano":"1767225600000000000","attributes":[{"key":"session.id","value":{"stringValue":"a"}}]}`
	two := strings.NewReplacer(`"a"}`, `"b"}`, "0af7", "0bf7").Replace(one)
	in := func(spans string) string {
		return `{"resourceSpans":[{"resource":{"attributes":[{"key":"x","value":{"intValue":  "7"}}]},"scopeSpans":[{"scope":{"name":"s"},"spans":[` + spans + `]}]}]}`
	}
	s := serve(t, otlphttp.Options{})
	if resp := s.send(t, "/v1/traces", asJSON, strings.NewReader(in(one+", "+two))); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, resp.body)
	}
	if diff := cmp.Diff(map[string][]string{"a": {in(one)}, "b": {in(two)}}, s.frames(t)); diff != "" {
		t.Error(diff)
	}
}

// Spans that name no session go to the session that their trace named before, also a day later;
// tenants do not share traces.
func TestLaterSpansOfATrace(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	s.traces(t, request(t, chat(1, 1, 0, text("gen_ai.conversation.id", "c"))))
	s.traces(t, request(t, span(1, 2, 24*3600)))
	s.traces(t, request(t, span(1, 3, 1)), "Tenant: other")
	if got := slices.Sorted(maps.Keys(s.frames(t))); !slices.Equal(got, []string{traceID(1), "c"}) {
		t.Errorf("sessions %q", got)
	}
	if n := len(s.frames(t)["c"]); n != 2 {
		t.Errorf("%d frames in the session, want 2", n)
	}
}

// A request that is not recorded names no session for later spans of its traces.
func TestTraceOfRefused(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	named := request(t, chat(1, 1, 0, text("session.id", "c")))
	s.mem.Refuse(errors.New("the spool is full"))
	if resp := s.traces(t, named); resp.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("%s %q", resp.Status, resp.body)
	}
	s.mem.Refuse(nil)
	secret := "sk-ant-api03-" + strings.Repeat("k3", 46) + "-AA"
	s.traces(t, request(t, chat(1, 2, 0, text("session.id", secret)))) // rejected
	s.traces(t, request(t, span(1, 3, 1)))
	s.traces(t, named)
	s.traces(t, request(t, span(1, 4, 2)))
	frames := s.frames(t)
	if got := slices.Sorted(maps.Keys(frames)); !slices.Equal(got, []string{traceID(1), "c"}) || len(frames["c"]) != 2 {
		t.Errorf("sessions %q, %d frames", got, len(frames["c"]))
	}
}

// A request that is sent again is the same stream, and its usage counts once.
func TestSentAgain(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	data := request(t, chat(1, 1, 0), chat(1, 2, 1, text("gen_ai.response.id", "r-1")))
	for range 3 {
		if resp := s.traces(t, data); resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", resp.Status, resp.body)
		}
	}
	if n := len(s.mem.Streams()); n != 1 {
		t.Errorf("%d streams, want 1", n)
	}
	if n := len(s.frames(t)[traceID(1)]); n != 1 {
		t.Errorf("%d frames, want 1", n)
	}
	used := s.usages()[traceID(1)]
	if len(used) != 2 || used["usage:r-1"].Tokens != (schema.Tokens{Input: 10, Output: 5}) {
		t.Errorf("usage %+v", used)
	}
}

func TestLogs(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	data := logRequest(t, &logs.LogRecord{TimeUnixNano: began, Attributes: append(chat(0, 0, 0).Attributes, text("session.id", "cc"))},
		&logs.LogRecord{ObservedTimeUnixNano: began + 5})
	if resp := s.send(t, "/v1/logs", binary, bytes.NewReader(data)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, resp.body)
	}
	if got := slices.Sorted(maps.Keys(s.frames(t))); !slices.Equal(got, []string{"cc", "otlp claude-code"}) {
		t.Errorf("sessions %q", got)
	}
}

// Names and ids that cannot be those of a session are recorded in a session with a valid id.
func TestOddNames(t *testing.T) {
	long := strings.Repeat("n", 300)
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(long)))[:32]
	for name, want := range map[string]string{
		".": "~%2E", "..": "~%2E%2E", "a\nb": "~a%0Ab", "~%": "~~%25", long: "~" + long[:218] + "%cut-" + hash,
	} {
		s := serve(t, otlphttp.Options{})
		if resp := s.traces(t, request(t, chat(1, 1, 0, text("session.id", name)))); resp.StatusCode != http.StatusOK {
			t.Fatalf("%q: %s %s", name, resp.Status, resp.body)
		}
		if got := slices.Sorted(maps.Keys(s.frames(t))); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: sessions %q, want %q", name, got, want)
		}
	}
	s := serve(t, otlphttp.Options{})
	first, other := chat(1, 1, 0), chat(2, 2, 0)
	other.TraceId = bytes.Repeat([]byte{2}, 300)
	inJSON := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"` + strings.Repeat("ab", 300) + `","spanId":"b7ad6b7169203331"}]}]}]}`
	for _, resp := range []response{s.traces(t, request(t, first, other)), s.send(t, "/v1/traces", asJSON, strings.NewReader(inJSON))} {
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s", resp.Status, resp.body)
		}
	}
	if got := slices.Sorted(maps.Keys(s.frames(t))); !slices.Equal(got, []string{traceID(1), "otlp ", "otlp shop"}) {
		t.Errorf("sessions %q", got)
	}
}

// A secret in a binary request is masked, and the request can still be read.
func TestMasked(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("k3", 46) + "-AA"
	s := serve(t, otlphttp.Options{})
	s.traces(t, request(t, chat(1, 1, 0, text("gen_ai.conversation.id", "c"), text("gen_ai.input.messages", "use "+secret+" now"))))
	frame := s.frames(t)["c"][0]
	var got trace.TracesData
	if err := proto.Unmarshal([]byte(frame), &got); err != nil {
		t.Fatal(err)
	}
	said := got.ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes[1].Value.GetStringValue()
	if strings.Contains(frame, secret) || said != "use [redacted:anthropic-key#1] now" {
		t.Errorf("recorded %q", said)
	}
	if len(s.usages()["c"]) != 1 {
		t.Error("the usage was not read")
	}
}

// The same in a request with invalid spans, and in fields that OTLP does not have.
func TestMaskedInvalid(t *testing.T) {
	secret := "sk-ant-api03-" + strings.Repeat("k3", 46) + "-AA"
	invalid := span(1, 2, 0, text("x", secret))
	invalid.SpanId, invalid.Name = []byte("short"), "use "+secret
	invalid.ProtoReflect().SetUnknown(field(99, []byte("also "+secret)))
	s := serve(t, otlphttp.Options{})
	if resp := s.traces(t, request(t, chat(1, 1, 0, text("session.id", "c")), invalid)); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %q", resp.Status, resp.body)
	}
	frame := s.frames(t)["c"][0]
	var got trace.TracesData
	if err := proto.Unmarshal([]byte(frame), &got); err != nil {
		t.Fatal(err)
	}
	spans := got.ResourceSpans[0].ScopeSpans[0].Spans
	if strings.Contains(frame, secret) || len(spans) != 2 || spans[1].Name != "use [redacted:anthropic-key#1]" {
		t.Errorf("recorded %q", frame)
	}
	if len(s.usages()["c"]) != 1 {
		t.Error("the usage was not read")
	}
}
