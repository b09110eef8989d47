package live_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// bundling publishes every block in a bundle with blocks of other sessions (whose
// buckets do not matter here).
type bundling struct {
	js    njs.JetStream
	count atomic.Int64
}

func (p *bundling) Publish(ctx context.Context, parcel ingest.Parcel, done func(error)) error {
	n := p.count.Add(1)
	entries := []block.Entry{{Session: parcel.Session, Data: parcel.Data}}
	for i := range 3 {
		other := fmt.Sprintf("other %d", 3*n+int64(i))
		entries = append(entries, block.Entry{Session: other, Data: block.Encode(nil, &block.Block{
			Session: other, State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1, Ended: 1},
			Frames: []schema.Frame{{At: ingest.Now(), Raw: []byte("other\n")}},
		}, block.S2)})
	}
	entries[0], entries[2] = entries[2], entries[0]
	subject, data := ingest.BundleSubject(parcel.Tenant, ingest.Bucket(parcel.Session)), block.AppendBundle(nil, entries)
	if _, err := p.js.Publish(ctx, subject, data, njs.WithMsgID(parcel.ID)); err != nil {
		return err
	}
	go done(nil)
	return nil
}

// A session of which JetStream has bundles alone is known, and another that they
// do not hold is not.
func TestKnownByBundle(t *testing.T) {
	b := newBench(t)
	b.publisher = &bundling{js: b.js}
	s := b.stream("session", schema.NDJSON)
	record(t, s, 10)
	end(t, s)
	l, out := b.library(nil), newSeen()
	if _, err := follow(l, "session", out, replay.Options{Speed: replay.Max}, ""); err != nil {
		t.Fatal(err)
	}
	if err := out.check(map[string]int{s.ID(): 10}); err != nil {
		t.Error(err)
	}
	if _, err := l.Tape(t.Context(), ingest.DefaultTenant, "nothing"); err == nil {
		t.Error("a session is known that nobody recorded")
	}
}
