package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"tapedeck/ingest"
)

// delay measures the time from a frame to its readers.
type delay struct{ paces []*pace }

// pace is the measurement at one rate.
type pace struct {
	rate  int // frames per second, a multiple of 1,000
	sent  int // frames counted; those of the warm-up are not
	lost  int // frames that no query returned
	query Delays
	live  Delays
}

func (s *delay) measure(ctx context.Context, w *workshop) error {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	for _, rate := range []int{1_000, 20_000} {
		p := &pace{rate: rate}
		if err := p.measure(ctx, w, c); err != nil {
			return fmt.Errorf("at %d frames/s: %w", rate, err)
		}
		s.paces = append(s.paces, p)
	}
	return nil
}

// measure records one paced session through `tapedeck record -`.
func (p *pace) measure(ctx context.Context, w *workshop, c *cluster) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	warmUp, length := full(w, time.Second, 100*time.Millisecond), full(w, 10*time.Second, time.Second)
	src := &pacedSource{session: fmt.Sprintf("delay-%d", p.rate), burst: p.rate / 1000, ticks: int((warmUp + length).Milliseconds())}
	n, skip := src.frames(), 1+src.burst*int(warmUp.Milliseconds())
	p.sent = n - skip

	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close() // already closed unless there was an error
	var printed bytes.Buffer
	// --no-wait, as the ingest process has no API to ask.
	record, err := start(w.Program, c.dir, nil, in, &printed, "record", "--json", "--no-wait", "--server", c.ingest.url, "-")
	in.Close() // the command has it
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
	if err := record.wait(ctx); err != nil {
		return err
	}
	var sum ingest.Summary
	if err := json.Unmarshal(printed.Bytes(), &sum); err != nil {
		return fmt.Errorf("read what record printed: %w", err)
	}
	if sum.Frames != uint64(n) {
		return fmt.Errorf("%d of %d frames were recorded", sum.Frames, n)
	}
	if err := live.wait(ctx, live.full); err != nil {
		return err
	}
	for i := skip; i < n; i++ {
		due := src.began.Add(src.due(i))
		p.query = append(p.query, seen[i].Sub(due))
		p.live = append(p.live, live.seen[i].Sub(due))
	}
	stored, err := storedFrames(ctx, c, src.session)
	p.lost = n - stored
	return err
}

func (s *delay) write(p *page) {
	p.text("A source writes frames at an even pace into `tapedeck record -`, which sends them to a `tapedeck serve --role ingest`; the sink runs\n"+
		"in a third process. A delay counts from the moment at which the frame was due to be written, so that a source which is held up does\n"+
		"not hide it. Query: until a query for the session's highest seq first covers the frame; it is asked every %s, which is part of the\n"+
		"figure, as is what the query takes. Live: until a JetStream consumer of the session has decoded the frame's block. The first second\n"+
		"is left out.", millis(pollEvery))
	p.table("| frames/s | frames | live p50 | live p99 | query p50 | query p99 | never seen |", "|---:|---:|---:|---:|---:|---:|---:|")
	for _, at := range s.paces {
		p.row(count(float64(at.rate)), count(float64(at.sent)), millis(at.live.At(0.5)), millis(at.live.At(0.99)),
			millis(at.query.At(0.5)), millis(at.query.At(0.99)), count(float64(at.lost)))
	}
}

func (s *delay) bars() []bar {
	var query, live Delays
	for _, at := range s.paces {
		query = at.query // the last is the fastest
		live = at.live
	}
	text := func(x float64) string { return millis(time.Duration(x)) }
	return []bar{
		atMost("tap → live tail, p99 at 20,000 frames/s", len(live) > 0, float64(live.At(0.99)), float64(25*time.Millisecond), text),
		atMost("tap → query, p99 at 20,000 frames/s", len(query) > 0, float64(query.At(0.99)), float64(1500*time.Millisecond), text),
	}
}

// pollEvery is the pause between two queries; it adds to the delays.
const pollEvery = 5 * time.Millisecond

// watch queries the highest seq of a session until it is the last of n frames,
// and returns when each frame was first included.
func watch(ctx context.Context, c *cluster, session string, n int) ([]time.Time, error) {
	seen := make([]time.Time, 0, n)
	for len(seen) < n {
		var next uint64
		err := c.db.QueryRow(ctx, nextSeq, session).Scan(&next)
		if err != nil {
			return nil, fmt.Errorf("ask for the highest seq: %w", err)
		}
		for now := time.Now(); len(seen) < int(next); {
			seen = append(seen, now)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d frames could be queried: %w", len(seen), n, context.Cause(ctx))
		case <-time.After(pollEvery):
		}
	}
	return seen, nil
}

// storedFrames counts the frames of a session as a reader sees them.
func storedFrames(ctx context.Context, c *cluster, session string) (int, error) {
	var n uint64
	err := c.db.QueryRow(ctx, sessionFrames, session).Scan(&n)
	return int(n), err
}
