package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/proto"

	"tapedeck/internal/backoff"
	"tapedeck/internal/metric"
)

var spans = metric.CounterVec(metric.Any, "tapedeck_trace_spans_total",
	"Spans that were to be sent to the collector, by result: sent, dropped. 0 while tracing is off.", "result")

func init() {
	for _, result := range []string{"sent", "dropped"} {
		spans.WithLabelValues(result)
	}
}

// exporter sends spans to a collector by OTLP over HTTP, in protobuf.
type exporter struct {
	to     string
	header map[string]string
	log    *slog.Logger
	client http.Client

	mu     sync.Mutex // guards logged
	logged time.Time  // when a failure was last logged
}

const (
	sendTimeout = 10 * time.Second // for all attempts
	remindEvery = time.Minute      // between two log lines about failures
)

// ExportSpans implements sdktrace.SpanExporter. It drops and counts spans that the collector does
// not accept in time.
func (e *exporter) ExportSpans(ctx context.Context, batch []sdktrace.ReadOnlySpan) error {
	data, err := proto.Marshal(request(batch))
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	wait := backoff.Backoff{Min: 100 * time.Millisecond, Max: time.Second}
	for tries := 0; ; tries++ {
		again, err := e.send(ctx, data)
		if err == nil {
			spans.WithLabelValues("sent").Add(float64(len(batch)))
			return nil
		}
		if !again || tries == 3 || !backoff.Sleep(ctx, wait.Next()) {
			spans.WithLabelValues("dropped").Add(float64(len(batch)))
			e.complain(err)
			return nil // the error is reported here
		}
	}
}

// send sends a request, and reports whether another attempt may succeed.
func (e *exporter) send(ctx context.Context, data []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.to, bytes.NewReader(data))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	for name, value := range e.header {
		r.Header.Set(name, value)
	}
	resp, err := e.client.Do(r)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection can be reused
	switch code := resp.StatusCode; {
	case code/100 == 2:
		return false, nil
	case code == 429, code == 502, code == 503, code == 504: // OTLP/HTTP: retryable
		return true, fmt.Errorf("the collector answered %s", resp.Status)
	default:
		return false, fmt.Errorf("the collector answered %s", resp.Status)
	}
}

func (e *exporter) complain(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Since(e.logged) > remindEvery {
		e.logged = time.Now()
		e.log.Warn("tracing: spans were dropped, since the collector does not take them", "error", err)
	}
}

// Shutdown implements sdktrace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}
