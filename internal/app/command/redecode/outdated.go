package redecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionhead"
)

// AtOnce is the number of sessions that the server decodes concurrently for Outdated.
const AtOnce = 2

// Outdated decodes all outdated sessions. The server determines which sessions are outdated, so a
// run needs no state of its own: after a killed run, the next one lists the remaining sessions.
type Outdated struct {
	Request
	From, To string // of the start of sessions
	Dialect  string // of a stream
	Answers  bool   // keep the server's answers for the report

	began time.Time

	mu       sync.Mutex // guards the fields below
	total    count
	passed   count // the part of total that was decoded, skipped or has failed
	decoded  count
	results  []json.RawMessage
	live     []string // sessions
	unended  []string // streams
	failures []error
}

// count counts sessions and their frames.
type count struct{ sessions, frames uint64 }

func (c *count) add(frames uint64) { c.sessions, c.frames = c.sessions+1, c.frames+frames }

// Run decodes the sessions, and returns an error if the server did not answer.
func (r *Outdated) Run(ctx context.Context) error {
	r.began = time.Now()
	list, err := r.outdated(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan session)
	var workers sync.WaitGroup
	for range AtOnce {
		workers.Go(func() {
			for s := range next {
				if err := r.decode(ctx, s); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := 0; i < len(list) && ctx.Err() == nil; i++ {
		select {
		case next <- list[i]:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// session holds the fields of a listed session that Outdated needs.
type session struct {
	id     string
	frames uint64
}

// outdated lists the outdated sessions that the flags select, the oldest first. It reads the whole
// list before anything is decoded, since decoding changes the list.
func (r *Outdated) outdated(ctx context.Context) (list []session, err error) {
	q := url.Values{"outdated": {"1"}, "sort": {"started"}}
	for name, value := range map[string]string{"from": r.From, "to": r.To, "dialect": r.Dialect} {
		if value != "" {
			q.Set(name, value)
		}
	}
	const unlimited = 1 << 30
	_, err = r.Client.Pages(ctx, "v1/sessions", q, unlimited, knownrecordings.SessionsAtOnce, func(text json.RawMessage) error {
		var s sessionhead.Summary
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read the server's answer to v1/sessions: %w", err)
		}
		list = append(list, session{s.ID, s.Frames})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.total.add(s.Frames)
		return nil
	})
	r.began = time.Now()
	return list, err
}

// decode decodes one session. It returns an error only if the server did not answer, since the
// other sessions would fail in the same way.
func (r *Outdated) decode(ctx context.Context, s session) error {
	answer, result, err := r.Request.Decode(ctx, s.id, url.Values{"outdated": {"1"}})
	refused, answered := errors.AsType[*apiclient.Error](err)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && len(result.Streams) > 0:
		r.decoded.add(s.frames)
		if r.Answers {
			r.results = append(r.results, answer)
		}
		for i := range result.Streams {
			if stream := &result.Streams[i]; !stream.Ended {
				r.unended = append(r.unended, stream.ID)
			}
		}
	case err == nil: // another run has decoded it meanwhile
	case !answered:
		return err
	case refused.Title == redecode.Running:
		r.live = append(r.live, s.id)
	case refused.Status == http.StatusNotFound || refused.Status == http.StatusGone:
		// It was deleted meanwhile, or its frames have expired.
	default:
		r.failures = append(r.failures, fmt.Errorf("session %s: %w", s.id, err))
	}
	r.passed.add(s.frames)
	return nil
}

// Progress describes the progress of the run.
func (r *Outdated) Progress() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passed.sessions == 0 {
		return fmt.Sprintf("0 of %s", console.Count(r.total.sessions, "outdated session"))
	}
	rate := float64(r.decoded.frames) / time.Since(r.began).Seconds()
	text := fmt.Sprintf("%s of %s, %s frames/s", console.Thousands(r.passed.sessions),
		console.Count(r.total.sessions, "outdated session"), console.Thousands(uint64(rate)))
	if left := r.total.frames - r.passed.frames; rate > 0 {
		text += fmt.Sprintf(", about %v left",
			time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	return text
}

// Report is the outcome for all sessions.
type Report struct {
	Results  []json.RawMessage // answers of the server, if they were kept
	Total    uint64            // outdated sessions
	Decoded  uint64
	Frames   uint64 // frames of the decoded sessions
	Left     uint64 // sessions that are still outdated
	Live     []string
	Unended  []string // streams without a recorded end
	Failures []error
}

// Report returns the outcome. It must be called after Run.
func (r *Outdated) Report() *Report {
	return &Report{
		Results: append([]json.RawMessage{}, r.results...), Total: r.total.sessions, Decoded: r.decoded.sessions, Frames: r.decoded.frames,
		Left: r.total.sessions - r.passed.sessions + uint64(len(r.live)+len(r.failures)), Live: r.live, Unended: r.unended, Failures: r.failures,
	}
}
