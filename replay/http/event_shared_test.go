package replayhttp

import (
	"bytes"
	"strings"
	"testing"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// A frame that several followers receive is encoded once, and each of them gets the message that it
// would have encoded itself.
func TestEncodesForAll(t *testing.T) {
	const first = 1_767_323_045_000_000_000
	for name, f := range map[string]*replay.Frame{
		"JSON":   frame(schema.NDJSON, "{\"a\": 1}\n", 0),
		"text":   frame(schema.SSE, "data: [DONE]\n\n", schema.FlagNotJSON),
		"binary": frame(schema.WebSocket, "{}", schema.FlagBinary),
		"block":  {Block: 17, Frame: frame(schema.NDJSON, "{}\n", 0).Frame, Stream: &schema.StreamState{StreamID: "s"}},
	} {
		id, message := newEvents("s1", first).encode(f)
		f.Encoding = &replay.Encoding{}
		for i := range 3 {
			e := newEvents("s1", first)
			e.encode(frame(schema.NDJSON, "{\"other\":1}\n", 0)) // its buffers are in use
			gotID, got := e.encode(f)
			if !bytes.Equal(gotID, id) || !bytes.Equal(got, message) {
				t.Errorf("%s, follower %d: %s %s\nwant %s %s", name, i, gotID, got, id, message)
			}
			if reached := e.reached(player.Summary{Last: f.Position()}); reached != string(id) {
				t.Errorf("%s, follower %d resumes after %s, want %s", name, i, reached, id)
			}
		}
		if _, kept, ok := f.Encoding.Kept(first, f.Block); !ok || !bytes.Equal(kept, message) {
			t.Errorf("%s: kept %s", name, kept)
		}
	}
}

// Followers for which a frame is encoded otherwise do not get each other's message, and a message of
// unusual size is not kept.
func TestEncodesApart(t *testing.T) {
	const first = 1_767_323_045_000_000_000
	f := frame(schema.NDJSON, "{}\n", 0)
	f.Encoding = &replay.Encoding{}
	newEvents("s1", first).encode(f)
	other := *f
	other.Block = 17
	for name, tc := range map[string]struct {
		f     *replay.Frame
		first int64
	}{"from another start": {f, first - 1e9}, "with a block": {&other, first}} {
		alone := *tc.f
		alone.Encoding = nil
		wantID, want := newEvents("s1", tc.first).encode(&alone)
		if id, got := newEvents("s1", tc.first).encode(tc.f); !bytes.Equal(got, want) || !bytes.Equal(id, wantID) {
			t.Errorf("%s: %s %s\nwant %s %s", name, id, got, wantID, want)
		}
	}
	long := frame(schema.NDJSON, "{}\n", 0)
	long.Encoding, long.Run = &replay.Encoding{}, strings.Repeat("r", 1000)
	newEvents("s1", first).encode(long)
	if _, _, ok := long.Encoding.Kept(first, long.Block); ok {
		t.Error("a message with a long envelope is kept")
	}
}
