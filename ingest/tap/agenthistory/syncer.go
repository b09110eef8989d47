package agenthistory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tapedeck/ingest"
)

// Options of a Syncer.
type Options struct {
	Recorder   *ingest.Recorder
	Tenant     string
	Tags       map[string]string // added to all sessions; they override a source's tags
	From       []string          // folders; default: the agents' folders
	Session    string            // only the sources of this session; "" for all
	FrameLimit int               // bytes; default ingest.DefaultFrameLimit
	Progress   *Progress
	// Known, if set, looks up recordings on the server by the SHA-256 of their bytes, in
	// hexadecimal, at most LookUpMost at once. It returns those that it found, by digest. A new
	// source is not recorded if the server has its bytes, at their own times, in a stream that was
	// recorded in another way, such as by an upload.
	Known func(ctx context.Context, digests []string) map[string]Stored
	// Recorded, if set, is called for each source of which something was recorded, one at a
	// time.
	Recorded func(s *Source, frames uint64)
	// Planned, if set, is called once before anything is recorded, with the number of sources that
	// may have new content and their size in bytes.
	Planned func(sources int, size int64)
}

// Syncer records sources.
type Syncer struct {
	Options
	live    map[string]*recording // in Watch, by path
	uploads uploads
}

// New makes a syncer.
func New(opts Options) *Syncer {
	return &Syncer{Options: opts, live: map[string]*recording{}, uploads: uploads{known: opts.Known}}
}

// Result counts what a run found and recorded.
type Result struct {
	Files    int           `json:"files"`
	Agents   map[Agent]int `json:"agents"`
	States   map[State]int `json:"states"` // number of sources by state when they were found
	Recorded int           `json:"recorded"`
	Frames   uint64        `json:"frames"`  // frames that were recorded
	Bytes    uint64        `json:"bytes"`   // bytes of these frames
	Copied   uint64        `json:"copied"`  // frames whose lines other files own
	Waiting  int           `json:"waiting"` // files whose last line is not complete
	// Misdated and CopiedTimes count recorded frames whose times were not used: see ingest.Summary.
	Misdated    uint64         `json:"misdated"`
	CopiedTimes uint64         `json:"copied_times"`
	Failed      int            `json:"failed"`
	Problems    []Problem      `json:"problems"`
	Last        ingest.Summary `json:"-"` // summary of the stream that was recorded last
}

// recorders is the number of sources that are recorded concurrently.
const recorders = 16

// Run finds the sources, and records their new content.
func (y *Syncer) Run(ctx context.Context) (*Result, error) {
	found, err := Find(y.From)
	if err != nil {
		return nil, err
	}
	y.Progress.Plan(found)
	before := found.keep(y.Session)
	res := found.Result()
	for _, s := range before { // they own the lines that the session has copied
		if _, err := y.Progress.scan(ctx, s, y.FrameLimit); err != nil && ctx.Err() != nil {
			return res, context.Cause(ctx)
		}
	}
	return res, y.recordAll(ctx, found, res)
}

// keep removes what is not of a session, unless that is "". It returns the removed sources of the same agent
// that come before the session and have new content.
func (f *Found) keep(session string) (before []*Source) {
	if session == "" {
		return nil
	}
	first := slices.IndexFunc(f.Sources, func(s *Source) bool { return s.Session == session })
	if first > 0 {
		agent := f.Sources[first].Agent
		for _, s := range f.Sources[:first] {
			if s.Agent == agent && s.Pending() {
				before = append(before, s)
			}
		}
	}
	f.Sources = slices.DeleteFunc(f.Sources, func(s *Source) bool { return s.Session != session })
	f.Problems = slices.DeleteFunc(f.Problems, func(p Problem) bool { return !strings.Contains(p.Path, session) })
	return before
}

// Result counts what was found.
func (f *Found) Result() *Result {
	res := &Result{Files: len(f.Sources), Agents: map[Agent]int{}, States: map[State]int{},
		Problems: append([]Problem{}, f.Problems...)}
	for _, s := range f.Sources {
		res.States[s.State]++
		if s.State != StateBad {
			res.Agents[s.Agent]++
		}
	}
	for _, p := range f.Problems {
		if !p.Foreign {
			res.Failed++
		}
	}
	return res
}

// pending returns how many sources may have new content, and their size in bytes.
func (f *Found) pending() (sources int, size int64) {
	for _, s := range f.Sources {
		if s.Pending() {
			sources++
			size += s.Size
		}
	}
	return sources, size
}

// job is a source that was scanned.
type job struct {
	source *Source
	scan   *scanned
}

// recordAll scans the sources in their order, and records several concurrently.
func (y *Syncer) recordAll(ctx context.Context, found *Found, res *Result) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex // guards res
	count := func(s *Source, c *scanned, r *recording, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err = y.settle(s, c, err); err == nil {
			res.add(y, s, c, r)
		} else if p, ok := problemOf(s, err); ok {
			res.Problems = append(res.Problems, p)
			res.Failed++
		} else {
			cancel(err)
		}
	}
	y.uploads.plan(found.Sources)
	if y.Planned != nil {
		y.Planned(found.pending())
	}
	jobs := make(chan job)
	var workers sync.WaitGroup
	for range recorders {
		workers.Go(func() {
			for j := range jobs {
				if y.uploads.has(ctx, j.source) {
					j.scan.elsewhere = true
					count(j.source, j.scan, nil, nil)
					continue
				}
				r, err := y.record(ctx, j.source, j.scan)
				count(j.source, j.scan, r, err)
			}
		})
	}
	for _, s := range found.Sources {
		if ctx.Err() != nil {
			break
		}
		if !s.Pending() {
			continue
		}
		c, err := y.Progress.scan(ctx, s, y.FrameLimit)
		if err == nil && !c.nothingNew() && !c.onlyCopies() {
			jobs <- job{s, c}
			continue
		}
		count(s, c, nil, err)
	}
	close(jobs)
	workers.Wait()
	return context.Cause(ctx)
}

// settle saves the entry of a source that needs no recording: an unchanged source, a copy, or a
// source whose session was deleted.
func (y *Syncer) settle(s *Source, c *scanned, err error) error {
	switch {
	case ingest.IsDeleted(err):
		e := newEntry(s, c.stream, c.generation)
		e.Deleted, s.State = true, StateDeleted
		return y.Progress.save(e)
	case err != nil:
		return err
	case c.onlyCopies() || c.elsewhere:
		e := newEntry(s, c.stream, c.generation)
		e.Copy, s.State = true, StateCopy
		return y.Progress.save(e)
	case c.nothingNew():
		e := newEntry(s, c.stream, c.generation)
		e.Offset, e.Frames, e.Digest, e.Lines = c.offset, c.frames, c.digest, c.lines
		if s.writing {
			e.Size = -1
		}
		return y.Progress.save(e)
	}
	return nil
}

// problemOf converts an error to the problem of one source. It returns false if the error concerns
// more than this source.
func problemOf(s *Source, err error) (Problem, bool) {
	_, read := errors.AsType[*readError](err)
	_, open := errors.AsType[*openError](err)
	return problem(s.Path, err), read || open
}

// add counts a source that was recorded or settled.
func (res *Result) add(y *Syncer, s *Source, c *scanned, r *recording) {
	if c.unfinished {
		res.Waiting++
	}
	if s.State == StateCopy || s.State == StateDeleted {
		res.States[s.State]++
	}
	if r == nil || r.failed || c.unread && r.frames == 0 {
		return
	}
	res.Recorded++
	res.Frames += r.frames
	res.Bytes += r.bytes
	res.Copied += c.copied
	res.Misdated += r.unused.misdated
	res.CopiedTimes += r.unused.copied
	res.Last = ingest.Summary{StreamID: c.stream, Sessions: []string{s.Session}, LastSession: s.Session, Frames: r.frames}
	if y.Recorded != nil {
		y.Recorded(s, r.frames)
	}
}

// String describes a source in messages.
func (s *Source) String() string { return fmt.Sprintf("%s (%s)", s.Path, s.Agent) }
