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
		masked map[schema.Position][]byte
		err    error
	}
	ask := func(ctx context.Context) chan result {
		c := make(chan result, 1)
		go func() {
			masked, err := view.Masked(ctx)
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
