package otlpwire

import (
	"bytes"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
)

// Masking changes texts at any place, and the lengths around them; other bytes stay.
func TestMaskBinary(t *testing.T) {
	made := func(secret string) *trace.TracesData {
		return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{ScopeSpans: []*trace.ScopeSpans{{Spans: []*trace.Span{{
			TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{1}, 8), Name: "n " + secret, TraceState: secret,
			Attributes: []*common.KeyValue{{Key: secret, Value: &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{
				Values: []*common.KeyValue{{Key: "x", Value: str(strings.Repeat(secret, 50))}},
			}}}}},
			Events: []*trace.Span_Event{{Name: secret, Attributes: []*common.KeyValue{{Key: "y", Value: str(secret)}}}},
			Links:  []*trace.Span_Link{{TraceState: secret}}, Status: &trace.Status{Message: secret}, Flags: 7,
		}}}}}}}
	}
	mask := func(s string) string { return strings.ReplaceAll(s, "secret", "*") }
	data := marshal(t, made("secret"))
	masked, ok := MaskBinary(data, false, mask)
	if !ok || !bytes.Equal(masked, marshal(t, made("*"))) {
		t.Errorf("masked to %q", masked)
	}
	if same, ok := MaskBinary(masked, false, mask); !ok || &same[0] != &masked[0] {
		t.Error("nothing was to be masked, and the bytes are others")
	}
	for _, other := range []string{"", "\n", "\nsecret", "secret", "\x0a\x02\x12\x00"} {
		if _, ok := MaskBinary([]byte(other), false, mask); ok {
			t.Errorf("%q is taken for a request", other)
		}
	}
}

// A request is masked whatever its items have, also in fields that are not read.
func TestMaskAnyField(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "secret", "*") }
	field := func(num protowire.Number, content string) string {
		return string(appendMessage(nil, num, []byte(content), nil))
	}
	scope := func(content string) string { return field(1, field(2, content)) }
	span := func(content string) string { return scope(field(2, content)) }
	id := field(1, strings.Repeat("i", 16))
	group := func(content string) string {
		return string(protowire.AppendTag(nil, 20, protowire.StartGroupType)) + content + string(protowire.AppendTag(nil, 20, protowire.EndGroupType))
	}
	number := string(protowire.AppendVarint(protowire.AppendTag(nil, 6, protowire.VarintType), 1))
	for name, tc := range map[string]struct{ data, want string }{
		"no ids":            {scope(field(2, id) + field(2, field(5, "secret"))), scope(field(2, id) + field(2, field(5, "*")))},
		"short id":          {span(field(1, "secret")), span(field(1, "\x00\x00\x00\x00\x00\x00"))},
		"in an id":          {span(field(1, "secret1234567890")), span(field(1, strings.Repeat("\x00", 16)))},
		"unknown text":      {span(id + field(99, "a secret")), span(id + field(99, "\x00\x00\x00\x00\x00\x00\x00\x00"))},
		"unknown message":   {span(id + field(99, field(1, "secret"))), span(id + field(99, "\x00\x00\x00\x00\x00\x00\x00\x00"))},
		"link no message":   {span(id + field(13, "secret")), span(id + field(13, "*"))},
		"scope attributes":  {scope(field(1, field(3, "secret")) + field(2, id)), scope(field(1, field(3, "*")) + field(2, id))},
		"group":             {span(id + group(field(1, "secret")) + field(5, "n")), span(id + field(5, "n"))},
		"group at the end":  {span(id + field(5, "n") + number + group(field(1, "secret"))), span(id + field(5, "n"))},
		"numbers are kept":  {span(id + number + field(5, "secret") + number), span(id + number + field(5, "*") + number)},
		"beside the groups": {field(7, "secret") + span(id), field(7, "\x00\x00\x00\x00\x00\x00") + span(id)},
		"no items":          {field(1, field(1, field(1, field(1, "secret")))), field(1, field(1, field(1, field(1, "*"))))},
		"a log record":      {span(field(5, field(1, "secret"))), span(field(5, field(1, "*")))},
	} {
		got, ok := MaskBinary([]byte(tc.data), true, mask)
		if !ok || string(got) != tc.want {
			t.Errorf("%s: %t %q, want %q", name, ok, got, tc.want)
		}
		if n, want := parse(t, got).Count(), parse(t, []byte(tc.data)).Count(); n != want {
			t.Errorf("%s: %d items, want %d", name, n, want)
		}
	}
}
