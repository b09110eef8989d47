package jetstream_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
)

// A stream is a bulk recording while it is fast, and some seconds longer. Streams beside it are
// none.
func TestBulkStreams(t *testing.T) {
	for _, c := range []struct {
		name          string
		bytes, frames int           // of a block
		every         time.Duration // from one block to the next
		bulk          int           // the first block that is of a bulk recording; 0 for none
	}{
		{"an agent", 300, 2, 10 * time.Millisecond, 0},
		{"just below the rate of frames", 300, 5, 10 * time.Millisecond, 0},
		{"frames above the rate", 300, 10, 10 * time.Millisecond, 399},
		{"just below the rate of bytes", 25 << 10, 1, 100 * time.Millisecond, 0},
		{"bytes above the rate", 50 << 10, 1, 100 * time.Millisecond, 41},
		{"as fast as it is taken", 100, 100, 0, 20},
		{"one large block", 1 << 20, 1, 0, 1},
	} {
		var all jetstream.BulkStreams
		now := time.Unix(1000, 0)
		add := func(stream string, n, bytes, frames int) bool {
			id := fmt.Sprintf("%036s.1.%d", stream, n)
			return all.Add(&ingest.EncodedBlock{ID: id, Data: make([]byte, bytes), Frames: frames}, now)
		}
		first := 0
		for n := 1; n <= 1000; n++ {
			if add("a", n, c.bytes, c.frames) && first == 0 {
				first = n
			}
			if add("b", n, 1, 0) {
				t.Fatalf("%s: the stream beside it counts as a bulk recording", c.name)
			}
			now = now.Add(c.every)
		}
		if first != c.bulk {
			t.Errorf("%s: a bulk recording from block %d on, want %d", c.name, first, c.bulk)
		}
		if c.bulk == 0 {
			continue
		}
		if c.bytes < 1<<20 && !add("a", 1001, 1, 1) {
			t.Errorf("%s: it is none at once when it becomes slow", c.name)
		}
		now = now.Add(5 * time.Second)
		if add("a", 1002, 1, 1) {
			t.Errorf("%s: it is one five seconds later", c.name)
		}
	}
}

// Of a flood of short streams, the frames of which are in no order of streams, all but the first
// frames of each stream are a bulk recording, and a small stream beside it is none. Another tenant's
// streams are not affected.
func TestBulkShortStreams(t *testing.T) {
	var all jetstream.BulkStreams
	now := time.Unix(1000, 0)
	add := func(tenant, stream string, frames int) bool {
		return all.Add(&ingest.EncodedBlock{
			Tenant: tenant, ID: fmt.Sprintf("%036s.1.1", stream), Data: make([]byte, 100), Frames: frames,
		}, now)
	}
	apart, late := 0, 0
	const streams, blocks = 1000, 10
	for i := range streams { // 20 ms each: 50,000 frames per second
		for range blocks {
			if add("a", fmt.Sprint("short", i), 100) {
				apart++
			}
			now = now.Add(2 * time.Millisecond)
		}
		if i%5 == 0 && add("a", "small", 1) {
			late++
		}
		if add("b", "medium", 5) {
			late++
		}
	}
	if want := streams * blocks * 3 / 4; apart < want {
		t.Errorf("%d blocks of short streams are bulk recordings, want %d or more", apart, want)
	}
	if late > 0 {
		t.Errorf("%d blocks of slow streams are bulk recordings", late)
	}
}

// A stream that was opened long after it began is a bulk recording for a minute, from its first block
// on.
func TestBulkHistories(t *testing.T) {
	began := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	ms := fmt.Sprintf("%012x", began.UnixMilli())
	stream := ms[:8] + "-" + ms[8:] + "-7000-8000-000000000000"
	later := began.Add(time.Hour)
	for _, c := range []struct {
		id   string
		at   time.Time
		bulk bool
	}{
		{blockID(stream, later), later, true},
		{blockID(stream, later), later.Add(59 * time.Second), true},
		{blockID(stream, later), later.Add(time.Minute), false},
		{blockID(stream, later.Add(time.Second)), later, true}, // of a recorder whose clock is ahead
		{blockID(stream, later.Add(-time.Millisecond)), later, false},
		{blockID(stream, began), began, false},
		{blockID(stream, began.Add(-time.Hour)), began, false},
		{stream, later, false},
		{stream + ".?.1", later, false},
		{"", later, false},
	} {
		var all jetstream.BulkStreams
		if got := all.Add(&ingest.EncodedBlock{ID: c.id, Data: make([]byte, 100), Frames: 1}, c.at); got != c.bulk {
			t.Errorf("%s at %v: bulk %v, want %v", c.id, c.at, got, c.bulk)
		}
	}
}

// blockID returns the id of the first block of a stream that was opened at a time.
func blockID(stream string, opened time.Time) string {
	return stream + "." + strconv.FormatInt(opened.UnixNano(), 36) + ".1"
}
