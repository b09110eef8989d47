package otlpwire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

// A large resource that each of many parts would repeat is refused before a part is made.
func TestDivideGrows(t *testing.T) {
	const spans, size = 1024, 1 << 20
	made := &trace.ScopeSpans{}
	var listed []string
	for i := range spans {
		id := append([]byte{1, byte(i >> 8), byte(i)}, make([]byte, 13)...)
		made.Spans = append(made.Spans, &trace.Span{TraceId: id, SpanId: bytes.Repeat([]byte{1}, 8)})
		listed = append(listed, fmt.Sprintf(`{"traceId":"%x"}`, id))
	}
	large := strings.Repeat("x", size)
	for name, data := range map[string][]byte{
		"binary": marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
			Resource: &resource.Resource{Attributes: []*common.KeyValue{{Key: "k", Value: str(large)}}}, ScopeSpans: []*trace.ScopeSpans{made},
		}}}),
		"json":       []byte(`{"resourceSpans":[{"resource":{"a":"` + large + `"},"scopeSpans":[{"spans":[` + strings.Join(listed, ",") + `]}]}]}`),
		"json scope": []byte(`{"resourceSpans":[{"scopeSpans":[{"a":"` + large + `","spans":[` + strings.Join(listed, ",") + `]}]}]}`),
		"json whole": []byte(`{"a":"` + large + `","resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(listed, ",") + `]}]}]}`),
	} {
		e := parse(t, data)
		part, next := map[*Item]int{}, 0
		e.All(func(_ *Group, _ *Scope, item *Item) {
			part[item] = next
			next++
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := e.Divide(data, spans, 4*len(data), func(item *Item) int { return part[item] })
		runtime.ReadMemStats(&after)
		grown, ok := errors.AsType[*GrowthError](err)
		if !ok || grown.Size < spans*size {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 32*size {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
	}
}

// The size that is compared with the limit is that of the parts; commas count once more in JSON.
func TestDivideLimit(t *testing.T) {
	span := func(b byte) *trace.Span {
		return &trace.Span{TraceId: bytes.Repeat([]byte{b}, 16), SpanId: bytes.Repeat([]byte{b}, 8)}
	}
	data := marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: []*common.KeyValue{{Key: "k", Value: str(strings.Repeat("x", 200))}}},
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "s"}, Spans: []*trace.Span{span(1), span(2), span(3)}}},
	}}})
	e := parse(t, data)
	part := func(item *Item) int { return int(item.TraceID[1]-'0') / 2 } // the first alone
	parts, err := e.Divide(data, 2, math.MaxInt, part)
	if err != nil {
		t.Fatal(err)
	}
	size := len(parts[0]) + len(parts[1])
	if _, err := e.Divide(data, 2, size, part); err != nil {
		t.Errorf("a limit of its size: %v", err)
	}
	if _, err := e.Divide(data, 2, size-1, part); err == nil {
		t.Error("a limit below its size is not seen")
	}
}
