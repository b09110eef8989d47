package bench

import (
	"context"
	"fmt"
	"time"
)

// Drift holds the median delays of the first and the last tenth of a playback's frames at speed 1,
// which show whether the playback deviates from its schedule.
type Drift struct {
	Length time.Duration `json:"length_ns"`
	First  time.Duration `json:"first_ns"`
	Last   time.Duration `json:"last_ns"`
}

func measureDrift(ctx context.Context, h *harness, r *Results) error {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	late, err := playOne(ctx, c, c.sink, &recordings{name: "drift", sessions: 1, frames: int(h.Drift / recordedGap)})
	if err != nil {
		return err
	}
	r.Drift = driftOf(h.Drift, late)
	return nil
}

// driftOf computes the drift from delays in the order of the frames.
func driftOf(length time.Duration, late []time.Duration) *Drift {
	tenth := len(late) / 10
	return &Drift{length, percentiles(late[:tenth]).P50, percentiles(late[len(late)-tenth:]).P50}
}

// playOne creates a session, plays it at speed 1 and returns the delays of its frames.
func playOne(ctx context.Context, c *cluster, server *command, one *recordings) ([]time.Duration, error) {
	if _, err := one.make(ctx, c); err != nil {
		return nil, err
	}
	list, err := listenTo(ctx, server.url, one.id(0))
	if err == nil && len(list) != one.frames {
		err = fmt.Errorf("%d of %d frames came", len(list), one.frames)
	}
	return lateness(list), err
}
