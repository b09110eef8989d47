package live_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/internal/bounded"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// A session moves to another stream when the number of partitions changes while it is recorded. Its
// follower receives every frame once, and so does one that resumes at a place in the old stream.
func TestFollowAcrossRepartition(t *testing.T) {
	b := newBench(t)
	b.startSink()
	spooled, err := spool.Open(spool.Options{Dir: t.TempDir(), Next: b.publisher, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spooled.Close(context.Background()) }) // it is empty
	b.publisher = spooled
	session := "s0"
	for i := 1; ingest.PartitionOf(ingest.DefaultTenant, session, 4).Index == 0; i++ {
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
		first.frames[id] = append(first.frames[id], frames...)
	}
	if err := first.check(lengths); err != nil {
		t.Errorf("the follower that resumed: %v", err)
	}
}
