package jetstream

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/ingest"
)

// GatherForLong has blocks wait for others however long it takes, since tests do
// not know how long that is.
func (p *Publisher) GatherForLong() { p.gathered.limit = time.Hour }

// What was gathered is due when little is in flight, and when it has waited.
func TestDue(t *testing.T) {
	g := newGathered()
	if g.due(0) != nil {
		t.Error("something is due, and nothing is there")
	}
	g.limit = time.Hour
	first, second := g.open(bucket{tenant: "a"}), g.open(bucket{tenant: "b"})
	if g.due(fewInFlight) != nil {
		t.Error("one is due while messages are in flight")
	}
	if g.due(fewInFlight-1) != first {
		t.Error("the first is not due when messages were answered")
	}
	first.since = time.Now().Add(-2 * time.Hour)
	if g.due(fewInFlight) != first {
		t.Error("the first is not due though it has waited")
	}
	g.take(first)
	if g.due(fewInFlight) != nil || g.due(0) != second || g.by[second.bucket] != second {
		t.Error("the second is not what is left")
	}
}

// A bundle that takes a block is no larger with it than it may be.
func TestTakes(t *testing.T) {
	for _, size := range []int{0, 1, 127, 128, 700, 20_000} {
		for _, most := range []int{512, 2 << 10, 64 << 10} {
			b := &bundle{}
			for i := range 1000 {
				p := ingest.EncodedBlock{Session: fmt.Sprint("session", i), Data: make([]byte, size)}
				if !b.takes(&p, most) {
					break
				}
				b.add(&p, 0, nil)
			}
			if len(b.entries) < 2 {
				continue
			}
			if msg, _ := b.message(nil, 1); len(msg.Data) > most {
				t.Errorf("%d blocks of %d bytes make %d, over %d", len(b.entries), size, len(msg.Data), most)
			}
			if again := b.entries[0]; b.takes(&ingest.EncodedBlock{Session: again.Session}, 1<<20) {
				t.Error("it takes a session twice")
			}
		}
	}
}
