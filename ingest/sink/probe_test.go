package sink

import (
	"slices"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// newSink returns a sink that does not run. Its ClickHouse does not answer.
func newSink(t *testing.T, opts Options) *Sink {
	t.Helper()
	opts.NATS, opts.DSN = localtest.NATS(t), "clickhouse://127.0.0.1:1/none"
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// encoded returns a block of a session with one frame, or with none.
func encoded(session string, raw []byte) []byte {
	b := block.Block{Session: session, State: schema.StreamState{StreamID: schema.NewStreamID()}}
	if raw != nil {
		b.Frames = []schema.Frame{{At: ingest.Now(), Raw: raw}}
	}
	return block.Encode(nil, &b, block.S2)
}

// A probe that cannot be inserted now, or has nothing to insert, is no proof and is dropped, so that the
// next insert keeps another one.
func TestDroppedProbe(t *testing.T) {
	s := newSink(t, Options{})
	s.shards = &shards{away: map[uint32]string{1: "other:9000"}}
	for name, raw := range map[string][]byte{"its shard is away": []byte("x"), "it has no rows": nil} {
		s.out.probe = probe{ingest.Subject("default", "s"), encoded("s", raw)}
		if known, err := s.out.probeInsert(t.Context()); known || err != nil || s.out.probe.data != nil {
			t.Errorf("%s: known %v, error %v, kept %v", name, known, err, s.out.probe.data != nil)
		}
	}
}

// Of a message of which a block was published in a message of its own, that block is not tried again; of
// a batch, the blocks of a shard that went away meanwhile are not tried.
func TestIsolatedAway(t *testing.T) {
	s := newSink(t, Options{})
	b := newBatch()
	m := &recordedMessage{data: block.AppendBundle(nil, []block.Entry{
		{Session: "a", Data: encoded("a", []byte("x"))}, {Session: "b", Data: encoded("b", []byte("x"))},
	})}
	b.take(m, []int{1})
	i := isolator{out: s.out, from: b, g: gatherer{sink: s, shards: &shards{away: map[uint32]string{1: "other:9000"}}, batch: newBatch()}}
	pieces := i.pieces()
	if got := slices.Collect(func(yield func(string) bool) {
		for _, p := range pieces {
			yield(p.entry.Session)
		}
	}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("the blocks of %v are tried", got)
	}
	if err := i.try(t.Context(), pieces); err != nil || len(i.away) != 1 || i.stored+len(i.refused) != 0 {
		t.Errorf("error %v, away %d, stored %d, refused %d", err, len(i.away), i.stored, len(i.refused))
	}
}

// A batch is stored before a block that would pass its bound is decoded.
func TestOverflow(t *testing.T) {
	s := newSink(t, Options{BatchBytes: 1 << 20})
	g := newGatherer(s, s.out)
	m := &recordedMessage{data: encoded("s", make([]byte, 700<<10))}
	overflows := func(m *recordedMessage) bool {
		if _, ok := g.examine(t.Context(), m); !ok {
			t.Fatal("the message has no block")
		}
		return g.overflows()
	}
	if overflows(m) {
		t.Error("an empty batch overflows")
	}
	g.add(t.Context(), m, time.Now())
	if !overflows(m) || g.full() {
		t.Error("two blocks of 700 KiB fit into a batch of 1 MiB")
	}
	if overflows(&recordedMessage{data: encoded("s", []byte("x"))}) {
		t.Error("a small block does not fit")
	}
}
