package sink_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// publishBulk publishes n blocks of a frame each that does not compress, as a bulk recording.
func (b *bench) publishBulk(session string, n, size int) {
	b.t.Helper()
	for i := range n {
		raw := make([]byte, size)
		_, _ = rand.Read(raw) // it never fails
		data := block.Encode(nil, &block.Block{
			Session: session, State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1},
			Frames: []schema.Frame{{At: ingest.Now(), Raw: raw}},
		}, block.S2)
		m := &nats.Msg{
			Subject: ingest.Subject("default", fmt.Sprint(session, "-", i)), Data: data,
			Header: nats.Header{jetstream.HeaderBulk: {"1"}},
		}
		if _, err := b.js.PublishMsg(b.t.Context(), m); err != nil {
			b.t.Fatal(err)
		}
	}
}

// While an insert takes longer than JetStream waits for an acknowledgement, the sink holds no more
// than its budget, none of what it holds is delivered again, and what others record is stored.
// Each block is inserted once.
func TestSlowInsertOfLargeBlocks(t *testing.T) {
	fulltest.Long(t)
	const early, blocks, size, held = 4, 40, 2 << 20, 40 << 20
	b := newBench(t)
	var slow atomic.Bool
	resume := make(chan struct{})
	ctx := failpoint.With(context.Background(), func(step string) error {
		if step == "sink: insert of a bulk recording begins" && slow.CompareAndSwap(true, false) {
			<-resume
		}
		return nil
	})
	slow.Store(true)
	b.publishBulk("large-early", early, size)
	b.runWith(ctx, sink.Options{HeldBytes: held})
	b.waitConsumer("the sink holds nothing", func(_ njs.Stream, c *njs.ConsumerInfo) bool { return c.NumAckPending > 0 })
	began := time.Now()
	b.record("small", 100)
	b.check("small", 100) // it came after the large blocks whose insert does not end
	b.publishBulk("large-late", blocks-early, size)
	for time.Since(began) < 13*time.Second {
		time.Sleep(time.Second) // longer than JetStream's time for an acknowledgement
		c, err := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
		if err != nil {
			t.Fatal(err)
		}
		if info := c.CachedInfo(); info.NumAckPending*size > held+size || info.NumRedelivered > 0 {
			t.Fatalf("%d messages of %d bytes are held, of %d bytes; %d were delivered again", info.NumAckPending, size, held, info.NumRedelivered)
		}
	}
	close(resume)
	bounded.Until(t, "all is stored", func() bool {
		var n uint64
		return b.db.QueryRow(t.Context(), "SELECT count() FROM frames WHERE startsWith(session_id, 'large')").Scan(&n) == nil && n >= blocks
	})
	b.waitAcked()
	if n := b.number("SELECT count() FROM frames WHERE startsWith(session_id, 'large')"); n != blocks {
		t.Errorf("%d rows were inserted for %d blocks", n, blocks)
	}
}
