package live

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/replay"
	"tapedeck/schema"
)

// asked is a store without sessions that counts how often it is asked for one.
type asked struct {
	replay.Library
	times atomic.Int64
}

func (a *asked) Tape(context.Context, string, string) (replay.Tape, error) {
	a.times.Add(1)
	time.Sleep(50 * time.Millisecond) // virtual time: the store takes a while
	return nil, replay.ErrNoSession
}

// The followers of a quiet session ask the store as often as one does, twice at most.
func TestFollowersAskTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const followers, length = 50, 60 * time.Second
		store := &asked{}
		first := silent("rec", &heartbeats{known: true, ids: []string{"rec"}})
		first.tape.library.opts.Stored = store
		readers := []*reader{first}
		for len(readers) < followers {
			r := silent("rec", nil)
			r.tape.library, r.source.library, r.source.tail = first.tape.library, first.tape.library, first.source.tail
			readers = append(readers, r)
		}
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		var all sync.WaitGroup
		for i, r := range readers {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 61 * time.Millisecond) // virtual time: followers do not come at once
				_, _ = followed(ctx, r)                              // the end of ctx
			})
		}
		all.Wait()
		alone := int64(length / first.tape.library.opts.Grace)
		if n := store.times.Load(); n < alone/2 || n > 2*alone {
			t.Errorf("the store was asked %d times in %s; one follower asks %d times", n, length, alone)
		}
	})
}

// pieceWith returns a piece with frames of so many bytes.
func pieceWith(number uint64, frames, bytes int) *piece {
	p := &piece{number: number, at: time.Now(), size: pieceSize + frames*(frameSize+bytes)}
	for i := range frames {
		p.frames = append(p.frames, schema.Frame{Seq: number*100 + uint64(i), Raw: make([]byte, bytes)})
	}
	return p
}

// Encodings are kept of the latest blocks of a tail with several readers, within their bound, and
// charged to the budget with the blocks.
func TestEncodingsAreBounded(t *testing.T) {
	b := budget.New(budget.Options{})
	l := &Library{opts: Options{TailBytes: 4 << 20, TailAge: time.Minute}}
	tail := &tail{library: l, changed: make(chan struct{}), charge: b.Shared()}
	alone := pieceWith(1, 5, 200)
	tail.add(alone, 1)
	if alone.encodings.Load() != nil || tail.encoded != 0 {
		t.Error("encodings are kept for one reader")
	}
	tail.several.Store(true)
	var all []*piece
	for i := range uint64(2000) {
		p := pieceWith(i+2, 5, 200)
		all = append(all, p)
		tail.add(p, i+2)
		if tail.encoded > encodedBytes {
			t.Fatalf("%d bytes of encodings, the bound is %d", tail.encoded, encodedBytes)
		}
	}
	kept, bytes := 0, 0
	for i, p := range all {
		if p.encodings.Load() == nil {
			if kept > 0 {
				t.Fatalf("piece %d has no encodings, but an earlier one has", i)
			}
			continue
		}
		kept++
		bytes += p.encoded()
	}
	if kept == 0 || kept == len(all) || bytes != tail.encoded || len(tail.latest) != kept {
		t.Errorf("%d of %d pieces have encodings of %d bytes, the tail counts %d of %d",
			kept, len(all), bytes, len(tail.latest), tail.encoded)
	}
	tail.add(pieceWith(3000, 1, encodedBytes), 3000)
	if len(tail.latest) != 0 || tail.encoded != 0 {
		t.Errorf("a frame above the bound: %d pieces have encodings of %d bytes", len(tail.latest), tail.encoded)
	}
	tail.add(pieceWith(3001, 5, 200), 3001)
	tail.several.Store(false)
	tail.add(pieceWith(3002, 5, 200), 3002)
	if len(tail.latest) != 0 || tail.encoded != 0 {
		t.Errorf("without other readers: %d pieces have encodings of %d bytes", len(tail.latest), tail.encoded)
	}
	tail.several.Store(true)
	tail.add(pieceWith(3003, 5, 200), 3003)
	used := func() int { return int(metrictest.Of(b)(t)["tapedeck_reader_bytes"]) }
	if used := used(); used != tail.bytes+tail.encoded || tail.encoded == 0 {
		t.Errorf("the budget has %d bytes, the tail %d and %d", used, tail.bytes, tail.encoded)
	}
	tail.raiseLow(4000)
	if used := used(); used != 0 || len(tail.latest) != 0 {
		t.Errorf("after all blocks were dropped: %d bytes, %d pieces", used, len(tail.latest))
	}
}
