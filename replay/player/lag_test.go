package player_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// spooled is a session of which frames come at times of their own, some long after
// they were recorded.
type spooled struct {
	*replaytest.Tape
	begin  time.Time
	frames []replay.Frame
	comes  []time.Duration // since begin
}

// add has frame number n of the tape come at a time.
func (s *spooled) add(comes time.Duration, n int) {
	s.frames, s.comes = append(s.frames, s.Tape.Frames()[n]), append(s.comes, comes)
}

// Edge implements replay.Growing.
func (s *spooled) Edge() int64 {
	edge := replaytest.Start
	for i := range s.frames {
		if time.Since(s.begin) >= s.comes[i] {
			edge = max(edge, s.frames[i].At)
		}
	}
	return edge
}

// AsOf implements replay.Growing.
func (s *spooled) AsOf() int64 { return s.Edge() }

// Read implements replay.Tape, from the start alone.
func (s *spooled) Read(context.Context, replay.Query) (replay.Reader, error) {
	return &spooledReader{tape: s}, nil
}

type spooledReader struct {
	tape     *spooled
	next     int
	reported bool
}

func (r *spooledReader) Next(ctx context.Context) ([]replay.Frame, error) {
	if r.next == len(r.tape.frames) {
		return nil, io.EOF
	}
	if wait := r.tape.comes[r.next] - time.Since(r.tape.begin); wait > 0 {
		if !r.reported {
			r.reported = true
			return nil, replay.ErrLive
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	r.reported = false
	r.next++
	return r.tape.frames[r.next-1 : r.next], nil
}

func (r *spooledReader) Close() error { return nil }

// Frames that come from a spool, long after they were recorded and after a silence,
// do not make a slow client of who follows; one that is slow is found out all the
// same.
func TestLateFramesAreNoLag(t *testing.T) {
	const live = "0 state live: playing at 0s x1"
	for _, tc := range []struct {
		name  string
		speed player.Speed
		takes time.Duration // the sink, for the first late frame
		want  []string      // and a LagError if it is slow
	}{
		{"live", 1, 0, []string{"0 a", live, "100000 b", "600000 c", "600000 d", "601000 e"}},
		{"slow motion", 0.5, 0, []string{"0 a", "200000 b", "600000 c", "602000 d", "1602000 e"}},
		{"live, slow client", 1, 2 * time.Minute, []string{"0 a", live, "100000 b", "600000 c"}},
		{"slow motion, slow client", 0.5, 2 * time.Minute, []string{"0 a", "200000 b", "600000 c"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tape := &replaytest.Tape{}
				tape.Stream(schema.NDJSON, "").Add(0, "a").Add(100*time.Second, "b").Add(601*time.Second, "e")
				tape.Stream(schema.NDJSON, "").Add(time.Second, "c").Add(101*time.Second, "d")
				s := &spooled{Tape: tape, begin: time.Now()}
				number := map[string]int{}
				for i, f := range tape.Frames() {
					number[string(f.Raw)] = i
				}
				s.add(0, number["a"])
				s.add(100*time.Second, number["b"])
				s.add(600*time.Second, number["c"])
				s.add(600*time.Second, number["d"])
				s.add(601*time.Second, number["e"])
				out := &taking{log: newLog(), frame: "c", takes: tc.takes}
				_, err := player.New(s, out, player.Options{Speed: tc.speed, LagLimit: time.Minute}).Run(t.Context())
				var lag *player.LagError
				if errors.As(err, &lag) != (tc.takes > 0) || err != nil && lag == nil {
					t.Errorf("it ended with %v", err)
				}
				if !slices.Equal(out.lines, tc.want) {
					t.Errorf("got  %q\nwant %q", out.lines, tc.want)
				}
			})
		})
	}
}

// taking is a sink that takes long for one frame.
type taking struct {
	*log
	frame string
	takes time.Duration
}

func (s *taking) Play(f *replay.Frame, from, to int) error {
	err := s.log.Play(f, from, to)
	if string(f.Raw) == s.frame {
		time.Sleep(s.takes) // virtual time: the client takes so long
	}
	return err
}
