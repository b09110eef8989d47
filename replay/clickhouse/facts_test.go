package clickhouse

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// Facts come back with every field, in the version and the generation that count, and
// only those that were asked for.
func TestFacts(t *testing.T) {
	d := shared(t)
	at := func(ms int) int64 {
		return time.Date(2026, time.March, 3, 10, 0, 0, ms*1e6, time.UTC).UnixNano()
	}
	const stream, other = "019cb230-0000-7000-8000-000000000001", "019cb230-0000-7000-8000-000000000002"
	fact := func(id string, seq, version uint64) schema.Fact {
		return schema.Fact{ID: id, Run: "r'1", Node: "n\t1", Agent: "react", SeenAt: at(int(seq)), SeenSeq: seq, Version: version}
	}
	span := schema.Span{
		Fact: fact("run:1", 1, 9), Kind: schema.SpanRun, Parent: "p", Name: "name", Status: schema.StatusError,
		Started: at(1), Ended: at(8), FirstToken: at(2), Duration: -5, CallID: "c", Model: "m", Provider: "v",
		Error: "e\n", Attributes: `{"a":1}`,
	}
	early := span
	early.Version, early.Status = 2, schema.StatusOpen
	tool := schema.Span{Fact: fact("tool:1", 0, 1), Kind: schema.SpanTool, Status: schema.StatusOpen}
	message := schema.Message{
		Fact: fact("user:1", 1, 3), Kind: schema.MessageUser, Span: "run:1", Name: "t", Text: "hé\x00", Media: "text", Complete: true,
		Started: at(1), Ended: at(2), ChunkAt: []int64{at(1), at(2)}, ChunkEnd: []uint32{1, 4}, Attributes: "{}",
	}
	system := schema.Message{Fact: fact("system:1", 0, 1), Kind: schema.MessageSystem}
	usage := schema.Usage{
		Fact: fact("usage:1", 2, 3), Scope: "s", Mode: schema.UsageAdd, At: at(2), Span: "run:1", Model: "m", Provider: "v",
		Tokens: schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6}, Total: 21, Raw: "{ }",
		Billing: schema.Billing{
			RequestedModel: "rm", ServiceTier: "flex", Speed: "fast", Region: "eu", Cost: "0.0125", Currency: "USD",
			RequestID: "req_1", MessageID: "msg_1",
			Parts: schema.TokenParts{
				Input: schema.Modalities{Text: 1, Audio: 2, Image: 3, Video: 4}, CacheRead: schema.Modalities{Text: 5, Audio: 6, Image: 7, Video: 8},
				Output: schema.Modalities{Text: 9, Audio: 10, Image: 11, Video: 12},
			},
			Tools: schema.ToolUses{WebSearches: 13, WebFetches: 14, CodeExecutions: 15},
		},
	}
	insert := func(batch *schemaclickhouse.Batch, stream string, f block.Facts) {
		client, err := schemaclickhouse.Dial(t.Context(), d.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		b := &block.Block{Session: "facts", Facts: f, State: schema.StreamState{
			StreamID: stream, Dialect: "loom", FirstAt: at(0), LastAt: at(9), Frames: 10, Version: 20,
		}}
		if err := batch.Add("acme", b); err != nil {
			t.Fatal(err)
		}
		if err := batch.Insert(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	insert(schemaclickhouse.NewBatch(), stream, block.Facts{
		Spans: []schema.Span{tool, span}, Messages: []schema.Message{system, message}, Usages: []schema.Usage{usage},
	})
	insert(schemaclickhouse.NewBatch(), stream, block.Facts{Spans: []schema.Span{early}})
	again := span
	again.Name = "decoded again"
	insert(schemaclickhouse.NewBatch(), other, block.Facts{Spans: []schema.Span{span}})
	insert(schemaclickhouse.NewGeneration(7), other, block.Facts{Spans: []schema.Span{again}})
	d.exec("INSERT INTO redecodes VALUES ('acme', 'facts', '" + other + "', 7, [0])")

	tape, err := d.open(Options{}).Tape(t.Context(), "acme", "facts")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		query replay.FactQuery
		want  replay.Facts
	}{
		"nothing": {replay.FactQuery{}, nil},
		"some": {
			replay.FactQuery{Spans: []schema.SpanKind{schema.SpanRun}, Messages: []schema.MessageKind{schema.MessageUser}, Usages: true},
			replay.Facts{
				stream: {Spans: []schema.Span{span}, Messages: []schema.Message{message}, Usages: []schema.Usage{usage}},
				other:  {Spans: []schema.Span{again}},
			},
		},
		"in order": {
			replay.FactQuery{Spans: []schema.SpanKind{schema.SpanRun, schema.SpanTool}},
			replay.Facts{stream: {Spans: []schema.Span{tool, span}}, other: {Spans: []schema.Span{again}}},
		},
	} {
		got, err := tape.Facts(t.Context(), tc.query)
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
	}
	some := replay.FactQuery{Spans: []schema.SpanKind{schema.SpanRun, schema.SpanTool}, Usages: true, MaxBytes: 4 * factSize}
	if _, err := tape.Facts(t.Context(), some); !errors.Is(err, replay.ErrManyFacts) {
		t.Errorf("4 facts with their texts in the memory of 4 facts without: %v", err)
	}
	some.MaxBytes = 8 * factSize
	if got, err := tape.Facts(t.Context(), some); err != nil || len(got) != 2 {
		t.Errorf("4 facts in the memory of 8: %v, %v", got, err)
	}
}
