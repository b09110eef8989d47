package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"tapedeck/ingest/redecode"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/query/sessionhead"
)

// redecodesAtOnce is the number of sessions that --all has the server decode at a time.
const redecodesAtOnce = 2

// outdatedRun decodes all outdated sessions. The server decides which are outdated, so that
// a run which is killed needs no state of its own: the next one lists what is left.
type outdatedRun struct {
	command *redecodeCommand
	client  *apiclient.Client
	file    []byte // of --dialect-file
	began   time.Time
	json    bool

	mu       sync.Mutex // guards the fields below
	total    outdatedCount
	passed   outdatedCount // of total: decoded, left alone or failed
	decoded  outdatedCount
	results  []json.RawMessage // for --json
	live     []string          // sessions
	unended  []string          // streams
	failures []error
}

// outdatedCount counts sessions and their frames.
type outdatedCount struct{ sessions, frames uint64 }

func (c *outdatedCount) add(frames uint64) { c.sessions, c.frames = c.sessions+1, c.frames+frames }

// all decodes the sessions that are outdated and reports what became of them.
func (c *redecodeCommand) all(ctx context.Context, g *global, cl *apiclient.Client, file []byte) error {
	r := &outdatedRun{command: c, client: cl, file: file, began: time.Now(), json: g.JSON, results: []json.RawMessage{}}
	shown := console.ShowProgress(r.progress)
	err := r.run(ctx)
	shown.End()
	if ctx.Err() != nil {
		err = errors.New("redecode --all was interrupted: what is decoded stays so, and the same command goes on with the rest")
	}
	return errors.Join(r.report(g), err)
}

func (r *outdatedRun) run(ctx context.Context) error {
	list, err := r.outdated(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan outdatedSession)
	var workers sync.WaitGroup
	for range redecodesAtOnce {
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

// outdatedSession is what is kept of a session in the list.
type outdatedSession struct {
	id     string
	frames uint64
}

// outdated lists the outdated sessions that the flags select, the oldest first. The list is
// read to its end before anything is decoded, since decoding changes it.
func (r *outdatedRun) outdated(ctx context.Context) (list []outdatedSession, err error) {
	q := url.Values{"outdated": {"1"}, "sort": {"started"}}
	setAll(q, map[string][]string{"from": {r.command.From}, "to": {r.command.To}, "dialect": {r.command.Dialect}})
	const unlimited = 1 << 30
	_, err = r.client.Pages(ctx, "v1/sessions", q, unlimited, sessionsAtOnce, func(text json.RawMessage) error {
		var s sessionhead.Summary
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read the server's answer to v1/sessions: %w", err)
		}
		list = append(list, outdatedSession{s.ID, s.Frames})
		r.mu.Lock()
		defer r.mu.Unlock()
		r.total.add(s.Frames)
		return nil
	})
	r.began = time.Now()
	return list, err
}

// decode decodes one session. It returns an error only if the server did not answer: the
// other sessions would fail in the same way.
func (r *outdatedRun) decode(ctx context.Context, s outdatedSession) error {
	answer, result, err := r.command.decode(ctx, r.client, s.id, url.Values{"outdated": {"1"}}, r.file)
	refused, answered := errors.AsType[*apiclient.Error](err)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil && len(result.Streams) > 0:
		r.decoded.add(s.frames)
		if r.json {
			r.results = append(r.results, answer)
		}
		for i := range result.Streams {
			if stream := &result.Streams[i]; !stream.Ended {
				r.unended = append(r.unended, stream.ID)
			}
		}
	case err == nil: // decoded meanwhile by another run
	case !answered:
		return err
	case refused.Title == redecode.Running:
		r.live = append(r.live, s.id)
	case refused.Status == http.StatusNotFound || refused.Status == http.StatusGone: // deleted meanwhile, or its frames expired
	default:
		r.failures = append(r.failures, fmt.Errorf("session %s: %w", s.id, err))
	}
	r.passed.add(s.frames)
	return nil
}

// progress describes how far the run is.
func (r *outdatedRun) progress() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passed.sessions == 0 {
		return fmt.Sprintf("0 of %s", console.Count(r.total.sessions, "outdated session"))
	}
	rate := float64(r.decoded.frames) / time.Since(r.began).Seconds()
	text := fmt.Sprintf("%s of %s, %s frames/s", console.Thousands(r.passed.sessions),
		console.Count(r.total.sessions, "outdated session"), console.Thousands(uint64(rate)))
	if left := r.total.frames - r.passed.frames; rate > 0 {
		text += fmt.Sprintf(", about %v left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	return text
}

// report prints what was decoded and what was not, and returns the failures.
func (r *outdatedRun) report(g *global) error {
	var err error
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": r.results, "next": nil})
	} else {
		fmt.Printf("%s decoded again, %s; %s of %s left\n", console.Count(r.decoded.sessions, "session"), console.Count(r.decoded.frames, "frame"),
			console.Thousands(r.total.sessions-r.passed.sessions+uint64(len(r.live)+len(r.failures))), console.Count(r.total.sessions, "outdated session"))
	}
	printUnended(r.unended)
	if len(r.live) > 0 {
		fmt.Fprintf(os.Stderr, "Still being recorded and left alone, to be decoded by a later run: %s\n", strings.Join(r.live, ", "))
	}
	return errors.Join(append(r.failures, err)...)
}
