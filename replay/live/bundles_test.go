package live_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// bundling publishes every block in a bundle with blocks of other sessions (whose
// buckets do not matter here), and now and then many bundles that have none of it.
type bundling struct {
	js    njs.JetStream
	count atomic.Int64
}

func (p *bundling) Publish(ctx context.Context, b ingest.EncodedBlock, done func(error)) error {
	n := p.count.Add(1)
	subject := ingest.Partition{}.BundleSubject(b.Tenant, ingest.Bucket(b.Session))
	if n%20 == 0 {
		foreign := block.AppendBundle(nil, []block.Entry{{Session: "foreign", Data: []byte("not to be opened")}})
		for range 40 {
			if _, err := p.js.Publish(ctx, subject, foreign); err != nil {
				return err
			}
		}
	}
	entries := []block.Entry{{Session: b.Session, Data: b.Data}}
	for i := range 3 {
		other := fmt.Sprintf("other %d", 3*n+int64(i))
		entries = append(entries, block.Entry{Session: other, Data: block.Encode(nil, &block.Block{
			Session: other, State: schema.StreamState{StreamID: schema.NewStreamID(), Frames: 1, Ended: 1},
			Frames: []schema.Frame{{At: ingest.Now(), Raw: []byte("other\n")}},
		}, block.S2)})
	}
	entries[0], entries[2] = entries[2], entries[0]
	if _, err := p.js.Publish(ctx, subject, block.AppendBundle(nil, entries), njs.WithMsgID(b.ID)); err != nil {
		return err
	}
	go done(nil)
	return nil
}

// A session of which JetStream has bundles alone is known, and another of its bucket
// that they do not hold is not.
func TestKnownByBundle(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publisher = &bundling{js: b.js}
	s := b.stream("session", schema.NDJSON)
	record(t, s, 10)
	end(t, s)
	l, out := b.library(nil), newSeen()
	if _, err := follow(l, "session", out, player.Options{Speed: player.Max}, ""); err != nil {
		t.Fatal(err)
	}
	if err := out.check(map[string]int{s.ID(): 10}); err != nil {
		t.Error(err)
	}
	for i := 0; ; i++ {
		nothing := fmt.Sprint("nothing", i)
		if ingest.Bucket(nothing) != ingest.Bucket("session") {
			continue
		}
		if _, err := l.Tape(t.Context(), ingest.DefaultTenant, nothing); !errors.Is(err, replay.ErrNoSession) {
			t.Errorf("a session that nobody recorded: %v", err)
		}
		break
	}
}
