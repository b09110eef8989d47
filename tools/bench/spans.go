package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	about "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Sizes of the workload of spans.
const (
	otlpSpans     = "OTLP spans of 1 KB"
	spanRequests  = 200
	spansOfOne    = 512 // spans of one request, as SDKs send them
	spanExporters = 4
)

// spanWorkload returns the workload of spans of calls of models that are sent to a server over
// OTLP/HTTP. Each request is of one session, and is one frame.
func spanWorkload(requests int) (*workload, error) {
	w := &workload{
		name: otlpSpans, command: "up", transport: "http", sessions: requests, frames: uint64(requests),
		expected: &Totals{Calls: uint64(requests * spansOfOne)},
	}
	bodies := make([][]byte, requests)
	for i := range bodies {
		var err error
		if bodies[i], err = spanRequest(i); err != nil {
			return nil, err
		}
		w.bytes += uint64(len(bodies[i]))
		w.expected.Input += spansOfOne * spanInput
		w.expected.Output += spansOfOne * spanOutput
	}
	w.prepare = func(_ context.Context, _ *harness, up *command, _ string) (recordFunc, error) {
		return func(ctx context.Context) (recorded, error) { return sendSpans(ctx, up.url, bodies) }, nil
	}
	return w, nil
}

// Tokens of each call.
const (
	spanInput  = 900
	spanOutput = 100
)

// spanRequest returns an ExportTraceServiceRequest with the calls of a session, one after another.
func spanRequest(session int) ([]byte, error) {
	text := func(key, value string) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
	}
	number := func(key string, n int64) *common.KeyValue {
		return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}}
	}
	id := func(n, size int) []byte {
		return binary.BigEndian.AppendUint64(make([]byte, size-8, size), uint64(n)+1)
	}
	said := func(role string, n, length int) string {
		var b strings.Builder
		for i := n; b.Len() < length; i += 7 {
			b.WriteString(words[i%len(words)] + " ")
		}
		return fmt.Sprintf(`[{"role":%q,"parts":[{"type":"text","content":%q}]}]`, role, b.String())
	}
	begin := uint64(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	spans := make([]*trace.Span, spansOfOne)
	for i := range spans {
		n := session*spansOfOne + i
		at := begin + uint64(i)*uint64(time.Second)
		spans[i] = &trace.Span{
			TraceId: id(session, 16), SpanId: id(n, 8), Name: "chat gpt-5-mini", Kind: trace.Span_SPAN_KIND_CLIENT,
			StartTimeUnixNano: at, EndTimeUnixNano: at + uint64(700*time.Millisecond),
			Attributes: []*common.KeyValue{
				text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", "openai"), text("gen_ai.request.model", "gpt-5-mini"),
				text("gen_ai.response.model", "gpt-5-mini-2025-08-07"), text("gen_ai.response.id", fmt.Sprintf("chatcmpl-%06d", n)),
				text("gen_ai.conversation.id", fmt.Sprintf("spans-%d", session)),
				number("gen_ai.usage.input_tokens", spanInput), number("gen_ai.usage.output_tokens", spanOutput),
				text("gen_ai.input.messages", said("user", n, 300)), text("gen_ai.output.messages", said("assistant", n+3, 150)),
			},
		}
	}
	return proto.Marshal(&trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &about.Resource{Attributes: []*common.KeyValue{text("service.name", "shop")}},
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "bench"}, Spans: spans}},
	}}})
}

// sendSpans sends all requests, a few at a time, and counts those that were accepted with all their
// spans.
func sendSpans(ctx context.Context, url string, bodies [][]byte) (got recorded, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: spanExporters}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var next, frames, sent atomic.Int64
	failures := make([]error, spanExporters)
	var exporters sync.WaitGroup
	for worker := range spanExporters {
		exporters.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(bodies)); i = next.Add(1) - 1 {
				if failures[worker] = export(ctx, client, url, bodies[i]); failures[worker] != nil {
					return
				}
				frames.Add(1)
				sent.Add(int64(len(bodies[i])))
			}
		})
	}
	exporters.Wait()
	return recorded{frames: uint64(frames.Load()), bytes: uint64(sent.Load())}, errors.Join(failures...)
}

// export sends one request. Without rejected spans the response is empty.
func export(ctx context.Context, client *http.Client, url string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || len(answer) > 0) {
		err = fmt.Errorf("export request: %s: %.300q", res.Status, answer)
	}
	return err
}
