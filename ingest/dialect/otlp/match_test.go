package otlp

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMatch(t *testing.T) {
	const span = `{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2"}`
	for line, want := range map[string]dialect.Confidence{
		`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `]}]}]}`:                              dialect.Certain,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1767225608000000000"}]}]}]}`: dialect.Certain,
		`{"resourceSpans":[]}`: dialect.No,
		`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m"}]}]}]}`: dialect.No,
		`{"spans":[` + span + `]}`: dialect.No,
		`text`:                     dialect.No,
	} {
		got, why := match(dialecttest.Line(line))
		if got != want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", line, got, why, want)
		}
	}
}

// A binary request is read in an HTTP body. Its time is the end of its last span.
func TestBinary(t *testing.T) {
	message := func(num protowire.Number, content ...[]byte) (out []byte) {
		var all []byte
		for _, c := range content {
			all = append(all, c...)
		}
		return protowire.AppendBytes(protowire.AppendTag(out, num, protowire.BytesType), all)
	}
	end := protowire.AppendFixed64(protowire.AppendTag(nil, 8, protowire.Fixed64Type), uint64(dialecttest.Start)+7)
	raw := message(1, message(2, message(2, message(1, make([]byte, 15), []byte{1}), message(2, make([]byte, 7), []byte{1}), end)))
	in := &dialect.Input{Frame: &schema.Frame{Transport: schema.HTTP, Raw: raw}, Data: raw}
	if got, _ := match(in); got != dialect.Certain || timeOf(in) != dialecttest.Start+7 {
		t.Errorf("%d at %d", got, timeOf(in))
	}
	in.Transport = schema.NDJSON
	if got, _ := match(in); got != dialect.No {
		t.Errorf("a line: %d", got)
	}
}
