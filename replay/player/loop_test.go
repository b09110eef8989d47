package player_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// sluggish takes a while for every last frame of a pass, and ends after so many passes.
type sluggish struct {
	start  time.Time
	takes  time.Duration
	passes int
	first  []time.Duration // when each pass began
	stop   func()
}

func (s *sluggish) Play(f *replay.Frame, _, _ int) error {
	switch f.Seq {
	case 0:
		s.first = append(s.first, time.Since(s.start))
		if len(s.first) == s.passes {
			s.stop()
		}
	case 2:
		time.Sleep(s.takes) // virtual time: the client takes so long
	}
	return nil
}

func (s *sluggish) Flush() error { return nil }

// By what a sink is late at the end of a pass the next one begins late, and it
// catches up: over many passes nothing adds up.
func TestLoopKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tape := &replaytest.Tape{}
		s := tape.Stream(schema.NDJSON, "")
		for i := range 3 {
			s.Add(time.Duration(i)*time.Second, "{}\n")
		}
		s.Add(2*time.Second, "{}\n")
		ctx, stop := context.WithCancel(t.Context())
		sink := &sluggish{start: time.Now(), takes: 1200 * time.Millisecond, passes: 50, stop: stop}
		_, _ = player.New(tape, sink, player.Options{Loop: true}).Run(ctx)
		for i, at := range sink.first {
			if want := time.Duration(i) * 2 * time.Second; at < want || at > want+sink.takes {
				t.Fatalf("pass %d began after %s, want %s", i, at, want)
			}
		}
	})
}
