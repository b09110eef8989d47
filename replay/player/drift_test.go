package player_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// punctual notes by how much frames are off their schedule, on a clock that
// stands still while anything runs.
type punctual struct {
	start time.Time
	first int64
	speed float64
	off   time.Duration // the most, either way
	n     int
}

// Play implements player.Sink.
func (p *punctual) Play(f *replay.Frame, _, _ int) error {
	due := time.Duration(float64(f.At-p.first) / p.speed)
	p.off = max(p.off, (time.Since(p.start) - due).Abs())
	p.n++
	return nil
}

// Flush implements player.Sink.
func (p *punctual) Flush() error { return nil }

// After an hour of uneven gaps frames are as punctual as at first: nothing adds up.
func TestNoDriftInAnHour(t *testing.T) {
	for _, speed := range []player.Speed{1, 0.7, 3} {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 5))
			tape := &replaytest.Tape{Batch: 100}
			s := tape.Stream(schema.NDJSON, "")
			at, n := time.Duration(0), 0
			for ; at < time.Duration(float64(speed)*float64(time.Hour)); n++ {
				s.Add(at, "{}\n")
				at += time.Duration(1 + r.IntN(2e9))
			}
			sink := &punctual{start: time.Now(), first: replay.FirstAt(tape), speed: float64(speed)}
			if _, err := player.New(tape, sink, player.Options{Speed: speed}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			// The speed divides whole nanoseconds, once and not once a frame.
			if sink.n != n || sink.off > time.Nanosecond {
				t.Errorf("at speed %s: %d of %d frames, up to %s off after %s", speed, sink.n, n, sink.off, time.Since(sink.start))
			}
			if played := time.Since(sink.start); played < 59*time.Minute {
				t.Errorf("it took %s", played)
			}
		})
	}
}
