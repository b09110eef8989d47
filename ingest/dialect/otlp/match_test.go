package otlp

import (
	"bytes"
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
		`{"type":"span","traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2","startTime":[1,0],"endTime":[2,0],"attributes":{}}`: dialect.Certain,
		`{"hrTime":[1767225603,0],"_body":"x","attributes":{"event.name":"x"}}`:                                                                      dialect.Certain,
		`{"type":"span","spanId":"00000000000000a2","startTime":[1,0],"endTime":[2,0],"attributes":{}}`:                                              dialect.No,
		`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2","startTime":1,"attributes":{}}`:                                   dialect.No,
		`text`: dialect.No,
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

// A request beyond the bounds on items has no facts.
func TestBeyondBounds(t *testing.T) {
	item := []byte{2<<3 | 2, 9, 1<<3 | 1, 0, 0, 0, 0, 0, 0, 0, 0x10} // a log record with a time
	field := func(num protowire.Number, content []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), content)
	}
	for n, want := range map[int]dialect.Confidence{100_000: dialect.Certain, 100_001: dialect.No} {
		raw := field(1, field(2, bytes.Repeat(item, n)))
		in := &dialect.Input{Frame: &schema.Frame{Transport: schema.HTTP, Raw: raw}, Data: raw}
		if got, _ := match(in); got != want {
			t.Errorf("%d items: %d, want %d", n, got, want)
		}
		if want == dialect.Certain {
			continue
		}
		if (&decoder{}).Decode(in, nil); in.Flags&schema.FlagUnknownType == 0 {
			t.Error("the frame is not flagged")
		}
	}
}
