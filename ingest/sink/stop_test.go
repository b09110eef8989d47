package sink_test

import (
	"encoding/json"
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
)

// A sink that is stopped returns what it has fetched and cannot store: so
// another one takes over at once, and not when JetStream has waited for long enough.
func TestStopGivesBack(t *testing.T) {
	e := localtest.Engine(t, engine.Options{})
	b := benchOn(t, e.DSN())
	given := make(chan *nats.Msg, 10_000)
	sub, err := b.nc.ChanSubscribe("$JS.EVENT.ADVISORY.CONSUMER.MSG_NAKED."+jetstream.StreamName+"."+sink.ConsumerName, given)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	_, stop := b.run(sink.Options{BatchFrames: 50})
	b.record("before", 100)
	b.check("before", 100)
	b.waitAcked()

	pid := e.Health().PID
	suspend(t, pid)
	const frames, perBlock = 4000, 16
	b.record("s", frames)
	b.waitDelivered()
	// What was sent to the sink may not have arrived yet on a busy machine.
	bounded.Until(t, "the sink has received the blocks", func() bool { return testutil.ToFloat64(sink.HeldMessages) >= frames/perBlock+1 })
	stop()
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c, err := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
	if err != nil {
		t.Fatal(err)
	}
	left := c.CachedInfo().NumAckPending
	if left < frames/perBlock {
		t.Errorf("%d blocks are not acknowledged, of %d that could not be stored", left, frames/perBlock)
	}
	seen := map[uint64]bool{}
	for end := time.After(bounded.Limit); len(seen) < left; {
		select {
		case m := <-given:
			var advisory struct {
				Block uint64 `json:"stream_seq"`
			}
			if err := json.Unmarshal(m.Data, &advisory); err != nil {
				t.Fatal(err)
			}
			seen[advisory.Block] = true
		case <-end:
			info, _ := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
			dropped, _ := sub.Dropped()
			t.Fatalf("%d blocks were given back, want %d; %d advisories were dropped; the consumer is %+v, the blocks are %v",
				len(seen), left, dropped, info.CachedInfo(), slices.Sorted(maps.Keys(seen)))
		}
	}
	b.run(sink.Options{})
	b.check("s", frames)
	b.waitAcked()
}
