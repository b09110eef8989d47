package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// DelayAt holds the delays from a frame to its readers at one rate.
type DelayAt struct {
	Rate  int         `json:"rate"` // frames per second, a multiple of 1,000
	Sent  int         `json:"sent"` // frames counted, without the warm-up
	Lost  int         `json:"lost"` // frames that no query returned
	Query Percentiles `json:"query"`
	Live  Percentiles `json:"live"`
}

func measureDelay(ctx context.Context, h *harness, r *Results) error {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	for _, rate := range []int{1_000, 20_000} {
		d := DelayAt{Rate: rate}
		if err := d.measure(ctx, h, c); err != nil {
			return fmt.Errorf("at %d frames/s: %w", rate, err)
		}
		r.Delay = append(r.Delay, d)
	}
	return nil
}

// measure records one paced session through `tapedeck record -`.
func (d *DelayAt) measure(ctx context.Context, h *harness, c *cluster) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	warmUp, length := pick(h, time.Second, 100*time.Millisecond), pick(h, 10*time.Second, time.Second)
	src := &pacedSource{session: fmt.Sprintf("delay-%d", d.Rate), burst: d.Rate / 1000,
		ticks: int((warmUp + length).Milliseconds())}
	n, skip := src.frames(), 1+src.burst*int(warmUp.Milliseconds())
	d.Sent = n - skip

	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close() // already closed unless there was an error
	var printed bytes.Buffer
	// --no-wait is needed, since the ingest process has no API to query.
	record, err := start(h.Program, c.dir, nil, in, &printed, "record", "--json", "--no-wait", "--server",
		c.ingest.url, "-")
	in.Close() // the command has a copy
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.stop()) }()
	live, err := follow(ctx, c, src)
	if err != nil {
		return err
	}
	defer live.stop()
	if err := errors.Join(src.ahead(out), live.wait(ctx, live.first)); err != nil {
		return err
	}
	src.began = time.Now()
	wrote := make(chan error, 1)
	go func() { wrote <- errors.Join(src.write(ctx, out), out.Close()) }()
	seen, err := watch(ctx, c, src.session, n)
	if err = errors.Join(err, <-wrote); err != nil {
		return err
	}
	if sum, err := record.summary(ctx, &printed); err != nil {
		return err
	} else if sum.Frames != uint64(n) {
		return fmt.Errorf("%d of %d frames were recorded", sum.Frames, n)
	}
	if err := live.wait(ctx, live.full); err != nil {
		return err
	}
	var query, tail []time.Duration
	for i := skip; i < n; i++ {
		due := src.began.Add(src.due(i))
		query = append(query, seen[i].Sub(due))
		tail = append(tail, live.seen[i].Sub(due))
	}
	d.Query, d.Live = percentiles(query), percentiles(tail)
	stored, err := storedFrames(ctx, c, src.session)
	d.Lost = n - stored
	return err
}

// pollEvery is the pause between two queries; it adds to the delays.
const pollEvery = 5 * time.Millisecond

// watch queries the highest seq of a session until it is the last of n frames, and returns when
// each frame was first included.
func watch(ctx context.Context, c *cluster, session string, n int) ([]time.Time, error) {
	seen := make([]time.Time, 0, n)
	for len(seen) < n {
		var next uint64
		err := c.db.QueryRow(ctx, statement("next_seq"), session).Scan(&next)
		if err != nil {
			return nil, fmt.Errorf("ask for the highest seq: %w", err)
		}
		for now := time.Now(); len(seen) < int(next); {
			seen = append(seen, now)
		}
		if err := pause(ctx, pollEvery); err != nil {
			return nil, fmt.Errorf("%d of %d frames could be queried: %w", len(seen), n, err)
		}
	}
	return seen, nil
}

// storedFrames counts the frames of a session that a reader sees.
func storedFrames(ctx context.Context, c *cluster, session string) (int, error) {
	var n uint64
	err := c.db.QueryRow(ctx, statement("session_frames"), session).Scan(&n)
	return int(n), err
}
