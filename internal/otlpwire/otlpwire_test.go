package otlpwire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) *Export {
	t.Helper()
	e, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func str(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

// every is a value of each kind, and everyJSON the same in JSON as the specification of OTLP has it.
var (
	every = &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{Values: []*common.KeyValue{
		{Key: "s", Value: str("a\"b")},
		{Key: "b", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}},
		{Key: "i", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: -7}}},
		{Key: "d", Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 1.5}}},
		{Key: "l", Value: &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{str("x"), {}}}}}},
		{Key: "y", Value: &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte{1, 2}}}},
	}}}}
	everyJSON = `{"kvlistValue":{"values":[{"key":"s","value":{"stringValue":"a\"b"}},{"key":"b","value":{"boolValue":true}},` +
		`{"key":"i","value":{"intValue":"-7"}},{"key":"d","value":{"doubleValue":1.5}},` +
		`{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"x"},{}]}}},{"key":"y","value":{"bytesValue":"AQI="}}]}}`
	everyText = `{"s":"a\"b","b":true,"i":-7,"d":1.5,"l":["x",null],"y":"AQI="}`
)

// Both encodings of a span and a log record are read as the same.
func TestEncodings(t *testing.T) {
	id, parent := bytes.Repeat([]byte{0xab}, 8), bytes.Repeat([]byte{1}, 8)
	spans := marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{
		Scope: &common.InstrumentationScope{Name: "lib"}, Spans: []*trace.Span{{
			TraceId: bytes.Repeat([]byte{0xab}, 16), SpanId: id, ParentSpanId: parent, Name: "n", StartTimeUnixNano: 5, EndTimeUnixNano: 9,
			Attributes: []*common.KeyValue{{Key: "k", Value: every}}, Events: []*trace.Span_Event{{Name: "exception", TimeUnixNano: 7}},
			Status: &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "bad"},
		}}}}}}})
	records := marshal(t, &logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{ScopeLogs: []*logs.ScopeLogs{{LogRecords: []*logs.LogRecord{
		{ObservedTimeUnixNano: 5, SpanId: id, EventName: "e", Body: every},
	}}}}}})
	for _, tc := range []struct {
		signal Signal
		binary []byte
		json   string
		want   string
	}{
		{Traces, spans, `{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"lib"},"spans":[{"traceId":"` + strings.Repeat("AB", 16) +
			`","spanId":"abababababababab","parentSpanId":"0101010101010101","name":"n","startTimeUnixNano":5,"endTimeUnixNano":"9",` +
			`"attributes":[{"key":"k","value":` + everyJSON + `}],"events":[{"name":"exception","timeUnixNano":"7"}],"status":{"code":2,"message":"bad"}}]}]}]}`,
			"abababababababab 0101010101010101 n 5 9 bad"},
		{Logs, records, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"observedTimeUnixNano":"5","spanId":"abababababababab","eventName":"e","body":` +
			everyJSON + `}]}]}]}`, "abababababababab  e 5 5 "},
	} {
		for _, data := range [][]byte{tc.binary, []byte(tc.json)} {
			e := parse(t, data)
			if e.Signal != tc.signal || e.Count() != 1 {
				t.Fatalf("%s: %s, %d items", data, e.Signal, e.Count())
			}
			e.All(func(_ *Group, _ *Scope, i *Item) {
				got := strings.Join([]string{i.SpanID, i.ParentID, i.Name, string(rune('0' + i.Start)), string(rune('0' + i.End)), i.Status}, " ")
				value := i.Body.Text() + i.Attributes.Text("k")
				if got != tc.want || value != everyText {
					t.Errorf("%s %s, want %s %s", got, value, tc.want, everyText)
				}
			})
		}
	}
}

// Ids of another length than OTLP has, and ids of zeros, are unset.
func TestInvalidIDs(t *testing.T) {
	var spans []*trace.Span
	var listed []string
	for _, n := range []int{16, 15, 17, 8, 300, 0} {
		id := bytes.Repeat([]byte{7}, n)
		spans = append(spans, &trace.Span{TraceId: id, SpanId: id, ParentSpanId: id})
		listed = append(listed, fmt.Sprintf(`{"traceId":"%x","spanId":"%[1]x","parentSpanId":"%[1]x"}`, id))
	}
	sixteen, eight := strings.Repeat("07", 16), strings.Repeat("07", 8)
	want := []string{sixteen + "//", "//", "//", "/" + eight + "/" + eight, "//", "//"}
	binary := marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: spans}}}}})
	for name, data := range map[string][]byte{
		"binary": binary, "json": []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(listed, ",") + `]}]}]}`),
	} {
		var got []string
		parse(t, data).All(func(_ *Group, _ *Scope, i *Item) { got = append(got, i.TraceID+"/"+i.SpanID+"/"+i.ParentID) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A binary request may begin as JSON that begins with a line feed.
func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{"{}": true, " \n{}": true, "\n{\"a\":1}": true, "\n{\n\x02": false, "": false, "\n": false, "[": false} {
		if IsJSON([]byte(text)) != want {
			t.Errorf("%q: want %t", text, want)
		}
	}
}

// The latest time is that of items which ended after 2000 and not before they began.
func TestLatest(t *testing.T) {
	const at = uint64(1_767_225_600_000_000_000) // 2026
	spans := func(times ...uint64) []byte {
		var list []*trace.Span
		for i := 0; i < len(times); i += 2 {
			list = append(list, &trace.Span{TraceId: bytes.Repeat([]byte{1}, 16), StartTimeUnixNano: times[i], EndTimeUnixNano: times[i+1]})
		}
		return marshal(t, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: list[:1]}, {Spans: list[1:]}}}}})
	}
	records := marshal(t, &logs.LogsData{ResourceLogs: []*logs.ResourceLogs{{ScopeLogs: []*logs.ScopeLogs{{LogRecords: []*logs.LogRecord{
		{TimeUnixNano: at, ObservedTimeUnixNano: at + 9}, {ObservedTimeUnixNano: at + 5},
	}}}}}})
	for name, tc := range map[string]struct {
		data []byte
		want int64
	}{
		"spans":          {spans(at, at+1, at, at+7, at, at+3), int64(at) + 7},
		"before 2000":    {spans(5, 9, 0, 0), 0},
		"ends too early": {spans(at+9, at+8, at, at+2), int64(at) + 2},
		"log records":    {records, int64(at) + 5}, // their own time, else when they were observed
		"no request":     {[]byte("text"), 0},
		"nothing":        {nil, 0},
	} {
		if got := Latest(tc.data); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// Any bytes are a request or an error. A request that is divided has the same items, and masking
// keeps their number.
func FuzzParse(f *testing.F) {
	f.Add(marshal(f, &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{
		{TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{1}, 8), Attributes: []*common.KeyValue{{Key: "k", Value: every}}},
		{TraceId: bytes.Repeat([]byte{2}, 16), SpanId: bytes.Repeat([]byte{1}, 8)},
	}}}}}}))
	f.Add(appendMessage(nil, 1, appendMessage(nil, 2, appendMessage(nil, 2, []byte("\x0a\x03kkk\x9a\x06\x02kk"), nil), nil), nil))
	f.Add([]byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"5","body":` + everyJSON + `},{}]}]}]}`))
	f.Add([]byte(`{"resourceSpans":[{"scopeSpans":{"spans":[]}},7]}`))
	f.Add([]byte(`{"resourceSpans":[],"resourceSpans":[{"scopeSpans":[{"spans":[{},{}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		var want [2][]string
		part, i, latest := map[*Item]int{}, 0, int64(0)
		e.All(func(_ *Group, _ *Scope, item *Item) {
			if item.Timed() {
				latest = max(latest, item.End)
			}
			part[item] = i % 2
			want[i%2] = append(want[i%2], item.SpanID+string(item.Attributes.AppendJSON(nil)))
			i++
		})
		if got := Latest(data); !e.JSON && got != latest {
			t.Errorf("latest time %d, want %d", got, latest)
		}
		divided, err := e.Divide(data, 2, math.MaxInt, func(item *Item) int { return part[item] })
		if err != nil {
			if !errors.Is(err, ErrMalformed) || !e.JSON {
				t.Error(err)
			}
			return
		}
		for i, d := range divided {
			var got []string
			if d != nil {
				parse(t, d).All(func(_ *Group, _ *Scope, item *Item) {
					got = append(got, item.SpanID+string(item.Attributes.AppendJSON(nil)))
				})
			}
			if diff := cmp.Diff(want[i], got); diff != "" && e.Signal == Traces {
				t.Errorf("part %d (-want +got):\n%s", i, diff)
			}
		}
		for _, sure := range []bool{false, true} {
			masked, ok := MaskBinary(data, sure, func(s string) string { return strings.ReplaceAll(s, "k", "****") })
			if ok != (sure && !e.JSON) && sure && len(data) > 0 {
				t.Errorf("masked: %t", ok)
			}
			if ok && parse(t, masked).Count() != e.Count() {
				t.Errorf("%d items, masked %d", e.Count(), parse(t, masked).Count())
			}
		}
	})
}
