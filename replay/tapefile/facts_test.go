package tapefile

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Of a fact that is in a file several times the highest version counts. A file that was
// cut off before its facts has none.
func TestFactsOfTape(t *testing.T) {
	memory := &replaytest.Tape{}
	stream := memory.Stream(schema.NDJSON, "loom").Add(0, "{}\n")
	var out bytes.Buffer
	w, err := NewWriter(&out)
	check(t, err)
	check(t, w.Begin("s", memory.Streams()))
	for i := range memory.Frames() {
		check(t, w.Add(&memory.Frames()[i]))
	}
	check(t, w.Flush())
	short := out.Len()
	span := func(id string, seq, version uint64, status schema.Status) schema.Span {
		return schema.Span{Fact: schema.Fact{ID: id, SeenSeq: seq, Version: version}, Kind: schema.SpanRun, Status: status}
	}
	for _, s := range []schema.Span{
		span("b", 4, 5, schema.StatusOpen), span("a", 1, 2, schema.StatusOpen), span("a", 1, 4, schema.StatusOK), span("a", 1, 3, schema.StatusOpen),
	} {
		check(t, w.Facts([]block.Block{{State: memory.Streams()[0], Facts: block.Facts{Spans: []schema.Span{s}}}}))
	}
	check(t, w.Close())
	for size, want := range map[int]replay.Facts{
		out.Len(): {stream.ID(): {Spans: []schema.Span{span("a", 1, 4, schema.StatusOK), span("b", 4, 5, schema.StatusOpen)}}},
		short:     nil,
	} {
		tape, err := open(t, out.Bytes()[:size]).Tape(t.Context(), "", "s")
		check(t, err)
		got, err := tape.Facts(t.Context(), replay.FactQuery{Spans: []schema.SpanKind{schema.SpanRun}})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%d bytes: %v, %s", size, err, diff)
		}
	}
}
