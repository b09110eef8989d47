package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// The number of partitions changes while a session is recorded. The session moves to another stream,
// or stays in the first one with another subject. Its follower receives every frame once, and so does
// one that resumes at a place before the change.
func TestFollowAcrossRepartition(t *testing.T) {
	fulltest.Long(t)
	for name, index := range map[string]int{"moves": 1, "stays": 0} {
		t.Run(name, func(t *testing.T) { followAcross(t, index) })
	}
}

// followAcross follows a session that has a partition of four after the change.
func followAcross(t *testing.T, index int) {
	b := newBench(t)
	b.startSink()
	spooled, err := spool.Open(spool.Options{Dir: t.TempDir(), Next: b.publisher, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spooled.Close(context.Background()) }) // it is empty
	b.publisher = spooled
	session := "s0"
	for i := 1; ingest.PartitionOf(ingest.DefaultTenant, session, 4).Index != index; i++ {
		session = fmt.Sprint("s", i)
	}
	one, other := b.stream(session, schema.NDJSON), b.stream(session, schema.NDJSON) // so that places name blocks
	lengths := map[string]int{}
	add := func(n int, streams ...*ingest.Stream) {
		for range n {
			for _, s := range streams {
				record(t, s, 1)
				lengths[s.ID()]++
			}
			time.Sleep(5 * time.Millisecond) // the pace of recording
		}
	}
	add(50, one, other)
	time.Sleep(100 * time.Millisecond) // so that the frames up to here arrive before those of later positions
	l := b.library(func(o *live.Options) { o.Timeout, o.Silence = bounded.Limit, time.Hour })
	whole, first := newSeen(), newSeen()
	var received atomic.Int64
	whole.stop = func(s *seen) error { received.Store(int64(s.count)); return nil }
	type ended struct{ err error }
	done := make(chan ended, 1)
	go func() { _, err := follow(l, session, whole, player.Options{}, ""); done <- ended{err} }()
	first.stop = func(s *seen) error {
		if s.count >= 110 && s.exact {
			return errStop
		}
		return nil
	}
	stopped := make(chan ended, 1)
	go func() { _, err := follow(l, session, first, player.Options{}, ""); stopped <- ended{err} }()
	add(50, one)
	bounded.Receive(t, stopped)
	if !first.exact {
		t.Fatal("the follower ended at a place without a block")
	}
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for jetstream.Repartition(t.Context(), b.js, jetstream.Config{MaxBytes: 1 << 30, Partitions: 4}) != nil && t.Context().Err() == nil {
			time.Sleep(10 * time.Millisecond) // between two attempts
		}
	}()
	for under := true; under; {
		add(10, one)
		select {
		case <-changed:
			under = false
		default:
		}
	}
	add(50, one)
	resumed := newSeen()
	again := make(chan ended, 1)
	go func() { _, err := follow(l, session, resumed, player.Options{}, first.last); again <- ended{err} }()
	add(20, one)
	recorded := int64(lengths[one.ID()] + lengths[other.ID()])
	bounded.Until(t, "the follower receives the frames after the change, before the session ends", func() bool {
		return received.Load() == recorded
	})
	end(t, one)
	end(t, other)
	if err := bounded.Receive(t, done).err; err != nil {
		t.Error(err)
	}
	if err := bounded.Receive(t, again).err; err != nil {
		t.Error(err)
	}
	if err := whole.check(lengths); err != nil {
		t.Errorf("the follower: %v", err)
	}
	for id, frames := range resumed.frames {
		// A block whose acknowledgement was lost as its partition was closed is sent again after later
		// blocks. One who resumes meanwhile receives it after them.
		first.frames[id] = slices.Sorted(slices.Values(append(first.frames[id], frames...)))
	}
	if err := first.check(lengths); err != nil {
		t.Errorf("the follower that resumed: %v", err)
	}
}

// A session is found and followed after a change of the number of partitions, also before a sink
// consumes the new partitions.
func TestFollowBeforeSinks(t *testing.T) {
	b := newBench(t)
	b.startSink()
	session := "s0"
	for i := 1; ingest.PartitionOf(ingest.DefaultTenant, session, 4).Index != 1; i++ {
		session = fmt.Sprint("s", i)
	}
	before := b.stream("before", schema.NDJSON)
	record(t, before, 5)
	end(t, before)
	bounded.Until(t, "the blocks are stored", func() bool {
		c, err := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
		return err == nil && c.CachedInfo().AckFloor.Stream > 0 && c.CachedInfo().NumPending == 0 && c.CachedInfo().NumAckPending == 0
	})
	b.stopSink()
	if err := jetstream.Repartition(t.Context(), b.js, jetstream.Config{MaxBytes: 1 << 30, Partitions: 4}); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.publisher, err = jetstream.NewPublisher(b.nc); err != nil { // that knows the partitions
		t.Fatal(err)
	}
	after := b.stream(session, schema.NDJSON)
	record(t, after, 5)
	end(t, after)
	s := newSeen()
	if _, err := follow(b.library(nil), session, s, player.Options{}, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.check(map[string]int{after.ID(): 5}); err != nil {
		t.Error(err)
	}
}
