package clickhouse

import (
	"testing"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Where a stream is read from: by number wherever that is known, since the server
// has to look for a time.
func TestStart(t *testing.T) {
	stream := &schema.StreamState{StreamID: "m", FirstSeq: 7, FirstAt: 1000, Frames: 3, Ended: 2000}
	for _, tc := range []struct {
		name string
		from replay.Place
		want bound
	}{
		{"the tape's beginning", replay.Place{Position: schema.Position{At: 1000}}, bound{seq: 7}},
		{"nothing given", replay.Place{}, bound{seq: 7}},
		{"before it", replay.Place{Position: schema.Position{At: 999, StreamID: "z", Seq: 9}}, bound{seq: 7}},
		{"with it, after a stream that sorts before", replay.Place{Position: schema.Position{At: 1000, StreamID: "a", Seq: 9}}, bound{seq: 7}},
		{"with it, after a stream that sorts behind", replay.Place{Position: schema.Position{At: 1000, StreamID: "z", Seq: 9}}, bound{at: 1001}},
		{"a time within", replay.Place{Position: schema.Position{At: 1500}}, bound{at: 1500}},
		{"a frame of it", replay.Place{Position: schema.Position{At: 1500, StreamID: "m", Seq: 8}}, bound{seq: 8}},
		{"after a frame of it", replay.Place{Position: schema.Position{At: 1500, StreamID: "m", Seq: 8}, After: true}, bound{seq: 9}},
	} {
		if got := startOf(stream, &replay.Query{From: tc.from}); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

// A short stream that is played slowly comes whole and packed; a long one, or one
// that is wanted fast, by pages.
func TestFirstPage(t *testing.T) {
	for _, tc := range []struct {
		name   string
		frames uint64
		bytes  uint64
		paced  bool
		rows   int
		packed bool
	}{
		{"short", 3000, 400_000, true, 3000, true},
		{"a few frames", 10, 1000, true, 10, false},
		{"fast", 3000, 400_000, false, firstRows, false},
		{"long", 10_000, 1_000_000, true, firstRows, false},
		{"large", 100, 10_000_000, true, firstRows, false},
	} {
		s := &schema.StreamState{StreamID: "m", FirstAt: 1000, LastAt: 2000, Frames: tc.frames, Bytes: tc.bytes, Ended: 2000, Version: 2*tc.frames + 1}
		r := &reader{query: replay.Query{From: replay.Place{Position: schema.Position{At: 1000}}, Paced: tc.paced}}
		c := newCursor(r, s)
		if c.query.rows != tc.rows || c.query.packed != tc.packed || !c.query.dense {
			t.Errorf("%s: %d rows, packed %t, by number %t; want %d, %t", tc.name, c.query.rows, c.query.packed, c.query.dense, tc.rows, tc.packed)
		}
	}
}
