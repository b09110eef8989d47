package sink_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// A stream that filled up while no sink ran takes blocks again as soon as the sink
// has stored some: three times what it holds goes through it in a fraction of the
// time that passes between two regular trims.
func TestRoomIsMadeAtOnce(t *testing.T) {
	b := newBench(t)
	const limit, size = 4 << 20, 64 << 10
	if _, err := jetstream.EnsureStreams(t.Context(), b.js, jetstream.Config{MaxBytes: limit}); err != nil {
		t.Fatal(err)
	}
	published := 0
	publish := func() error {
		_, err := b.js.PublishMsg(t.Context(), blockOf(published, size), njs.WithRetryAttempts(0))
		if err == nil {
			published++
		}
		return err
	}
	full := func(err error) bool {
		var api *njs.APIError
		return errors.As(err, &api) && api.ErrorCode == 10077 // maximum bytes exceeded
	}
	for {
		if err := publish(); full(err) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	b.run(sink.Options{})
	began := time.Now()
	for want := 4 * limit / size; published < want; {
		switch err := publish(); {
		case full(err) && time.Since(began) > time.Minute:
			t.Fatalf("%d of %d blocks went in within %v", published, want, time.Since(began))
		case full(err):
			time.Sleep(10 * time.Millisecond) // as publishers do
		case err != nil:
			t.Fatal(err)
		}
	}
	t.Logf("all in after %v", time.Since(began).Round(time.Millisecond))
	b.eventually("SELECT count() FROM frames FINAL", uint64(published))
}

// blockOf is a block with one frame that does not compress.
func blockOf(n, size int) *nats.Msg {
	raw := make([]byte, size)
	for i := range raw {
		raw[i] = byte(rand.Uint32())
	}
	session := fmt.Sprint("full-", n)
	return &nats.Msg{Subject: ingest.Subject("default", session), Data: block.Encode(nil, &block.Block{
		Session: session, State: schema.StreamState{StreamID: fmt.Sprintf("019b7000-0000-7000-8000-%012d", n), Frames: 1},
		Frames: []schema.Frame{{At: ingest.Now(), Raw: raw}},
	}, block.S2)}
}
