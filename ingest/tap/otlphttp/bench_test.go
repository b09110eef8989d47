package otlphttp_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/otlphttp"
)

// nothing is a publisher whose blocks are durable at once.
type nothing struct{}

func (nothing) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	done(nil)
	return nil
}

// BenchmarkTraces records requests of 512 spans of about 1 KB, in 8 sessions, with secrets masked.
func BenchmarkTraces(b *testing.B) {
	h := otlphttp.NewHandler(ingest.NewRecorder(nothing{}, ingest.Settings{}), otlphttp.Options{})
	const n = 512
	spans := make([]*trace.Span, n)
	for i := range spans {
		spans[i] = chat(byte(i/64+1), byte(i%64+1), uint64(i), text("session.id", fmt.Sprint("s", i/64)),
			text("gen_ai.input.messages", strings.Repeat("the quick brown fox ", 20)),
			text("gen_ai.output.messages", strings.Repeat("jumps over the lazy dog ", 15)))
	}
	data := request(b, spans...)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v1/traces", bytes.NewReader(data))
		r.Header.Set("Content-Type", binary)
		w := httptest.NewRecorder()
		h.Traces(w, r, "")
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/span")
}
