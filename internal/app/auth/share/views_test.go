package share

import (
	"context"
	"errors"
	"io"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/redact"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/query/session/sessionframes"
	"tapedeck/replay"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slowLibrary has one session of one frame, which it reads when let is closed.
type slowLibrary struct {
	began chan context.Context
	let   chan struct{}
	read  bool
}

func (l *slowLibrary) Tape(context.Context, string, string) (replay.Tape, error) {
	return slowTape{slowLibrary: l}, nil
}

// slowTape is the session of a slowLibrary.
type slowTape struct {
	*slowLibrary
	replay.Tape
}

func (l slowTape) Read(ctx context.Context, _ replay.Query) (replay.Reader, error) {
	l.began <- ctx
	return l.slowLibrary, nil
}

func (l *slowLibrary) Next(ctx context.Context) ([]replay.Frame, error) {
	if l.read {
		return nil, io.EOF
	}
	select {
	case <-l.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.read = true
	const secret = `{"key":"ghp_` + `q7Xw2Lk9Tz4Vb8Nc3Hs6Jd1Fg5Rm0Py2Ae7U"}`
	return []replay.Frame{{Frame: schema.Frame{At: 1, Transport: schema.NDJSON, Raw: []byte(secret)}, Stream: &schema.StreamState{StreamID: "stream"}}}, nil
}

func (l *slowLibrary) Close() error { return nil }

// Whoever waits for the same frames has them, also if the one whose request began the reading leaves.
func TestFirstReaderLeaves(t *testing.T) {
	l := &slowLibrary{began: make(chan context.Context, 1), let: make(chan struct{})}
	v := NewViews(l, redact.Default)
	view := v.Of(&access.Principal{ID: "link", Share: &access.Share{Session: "s"}}, "acme")
	type result struct {
		masked map[sessionframes.FrameID][]byte
		err    error
	}
	ask := func(ctx context.Context) chan result {
		c := make(chan result, 1)
		go func() {
			masked, err := view.Masked(ctx, nil)
			c <- result{masked, err}
		}()
		return c
	}
	leaving, leave := context.WithCancel(t.Context())
	first := ask(leaving)
	reading := bounded.Receive(t, l.began)
	second := ask(t.Context())
	leave()
	if got := bounded.Receive(t, first); !errors.Is(got.err, context.Canceled) {
		t.Errorf("the one that left got %d frames, %v", len(got.masked), got.err)
	}
	if _, has := reading.Deadline(); !has || reading.Err() != nil {
		t.Errorf("the reading has a deadline: %v, and ended with %v", has, reading.Err())
	}
	close(l.let)
	if got := bounded.Receive(t, second); got.err != nil || len(got.masked) != 1 {
		t.Errorf("the other one got %d frames, %v", len(got.masked), got.err)
	}
	if len(l.began) != 0 {
		t.Error("the session was read again")
	}
}

// growing has one session of some frames, each with a secret.
type growing struct{ frames, reads, next int }

func (l *growing) Tape(context.Context, string, string) (replay.Tape, error) {
	return growingTape{growing: l}, nil
}

// growingTape is the session of a growing library.
type growingTape struct {
	*growing
	replay.Tape
}

func (l growingTape) Read(context.Context, replay.Query) (replay.Reader, error) {
	l.reads, l.next = l.reads+1, 0
	return l.growing, nil
}

func (l *growing) Next(context.Context) ([]replay.Frame, error) {
	if l.next == l.frames {
		return nil, io.EOF
	}
	l.next++
	const secret = `{"key":"ghp_` + `q7Xw2Lk9Tz4Vb8Nc3Hs6Jd1Fg5Rm0Py2Ae7U"}`
	return []replay.Frame{{
		Frame:  schema.Frame{Seq: uint64(l.next - 1), At: int64(l.next), Transport: schema.NDJSON, Raw: []byte(secret)},
		Stream: &schema.StreamState{StreamID: "stream"},
	}}, nil
}

func (l *growing) Close() error { return nil }

// A frame that was stored after the first request by a link is masked as well. The session is read again for it, and
// not for others.
func TestStoredLater(t *testing.T) {
	l := &growing{frames: 2}
	view := NewViews(l, redact.Default).Of(&access.Principal{ID: "link", Share: &access.Share{Session: "s"}}, "acme")
	at := func(n int) sessionframes.FrameID { return sessionframes.FrameID{Stream: "stream", Seq: uint64(n)} }
	for _, tc := range []struct {
		frames int // stored
		of     []sessionframes.FrameID
		reads  int
	}{
		{2, []sessionframes.FrameID{at(0), at(1)}, 1},
		{3, []sessionframes.FrameID{at(1)}, 1},
		{3, []sessionframes.FrameID{at(1), at(2)}, 2},
		{3, []sessionframes.FrameID{at(2)}, 2},
	} {
		l.frames = tc.frames
		masked, err := view.Masked(t.Context(), tc.of)
		if err != nil || l.reads != tc.reads {
			t.Errorf("%d frames: read %d times, want %d: %v", tc.frames, l.reads, tc.reads, err)
		}
		for _, p := range tc.of {
			if len(masked[p]) == 0 {
				t.Errorf("%d frames: frame %d is not masked", tc.frames, p.Seq)
			}
		}
	}
	// What cannot be read is not shown.
	if masked, err := view.Masked(t.Context(), []sessionframes.FrameID{at(3)}); err == nil {
		t.Errorf("a frame that was not read: %d masked frames", len(masked))
	}
}

// A set has the frames that were added, also of a stream whose clock was set back.
func TestFrameSet(t *testing.T) {
	s := frameSet{}
	for _, seq := range []uint64{0, 1, 5, 6, 2, 3, 9} {
		s.add("a", seq)
	}
	s.sort()
	for seq := range uint64(11) {
		want := seq != 4 && seq != 7 && seq != 8 && seq != 10
		if got := s.hasAll([]sessionframes.FrameID{{Stream: "a", Seq: 0}, {Stream: "a", Seq: seq}}); got != want {
			t.Errorf("frame %d: %v", seq, got)
		}
	}
	if s.hasAll([]sessionframes.FrameID{{Stream: "b", Seq: 0}}) {
		t.Error("it has a frame of another stream")
	}
}
