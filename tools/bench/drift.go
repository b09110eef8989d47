package bench

import (
	"context"
	"fmt"
	"time"
)

// drift measures whether a playback at speed 1 deviates from its schedule over
// time.
type drift struct {
	length time.Duration
	late   Delays // in the order of the frames
}

func (s *drift) measure(ctx context.Context, w *workshop) error {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	s.length = w.Drift
	one := &recordings{name: "drift", sessions: 1, frames: int(s.length / recordedGap)}
	if _, err := one.make(ctx, c); err != nil {
		return err
	}
	list, err := listenTo(ctx, c.sink.url, one.id(0), 0)
	if err == nil && len(list) != one.frames {
		err = fmt.Errorf("%d of %d frames came", len(list), one.frames)
	}
	s.late = lateness(list)
	return err
}

// ends returns the medians of the first and of the last tenth.
func (s *drift) ends() (first, last time.Duration) {
	tenth := len(s.late) / 10
	return s.late[:tenth].At(0.5), s.late[len(s.late)-tenth:].At(0.5)
}

// by returns how much later the last frames are than the first; negative if earlier.
func (s *drift) by() time.Duration {
	first, last := s.ends()
	return (last - first).Abs()
}

func (s *drift) write(p *page) {
	first, last := s.ends()
	p.text("One session is played over SSE at speed 1 for %v. The median delay of its first tenth was %s, of its last %s.", s.length, millis(first), millis(last))
}

func (s *drift) bars() []bar {
	text := func(x float64) string { return millis(time.Duration(x)) }
	return []bar{
		atMost("player, drift in ten minutes", s.length >= 10*time.Minute && len(s.late) > 0, float64(s.by()), float64(2*time.Millisecond), text),
	}
}
