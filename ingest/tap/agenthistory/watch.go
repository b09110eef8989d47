package agenthistory

import (
	"context"
	"io"
	"slices"
	"time"

	"tapedeck/ingest/tap/copier"
)

const (
	// pollInterval is the minimum pause between two polls of the sources. The pause is longer if
	// polling would take more than a twentieth of the time.
	pollInterval = 500 * time.Millisecond
	// liveFor is how long a stream stays open after its source has grown.
	liveFor = 2 * time.Minute
	// liveStreams bounds the open streams.
	liveStreams = 64
	// quietFor is how long a source that is rewritten as a whole must be unchanged before it is
	// recorded.
	quietFor = time.Second
)

// Watch records new content until ctx ends, which is not an error. Streams of growing files stay
// open. If report is set, it is called after each poll that recorded new content or found a new
// problem.
func (y *Syncer) Watch(ctx context.Context, report func(*Result)) error {
	defer y.endAll(ctx)
	pause := pollInterval
	known := map[Problem]bool{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		began := time.Now()
		res, err := y.poll(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		res.Problems = slices.DeleteFunc(res.Problems, func(p Problem) bool {
			was := known[p]
			known[p] = true
			return was
		})
		if report != nil && (res.Recorded > 0 || len(res.Problems) > 0) {
			report(res)
		}
		pause = max(pollInterval, 20*time.Since(began))
	}
}

// poll finds the changed sources and records them.
func (y *Syncer) poll(ctx context.Context) (*Result, error) {
	found, err := Find(y.From)
	if err != nil {
		return nil, err
	}
	y.Progress.Plan(found)
	res := found.Result()
	for _, s := range found.Sources {
		if !s.Pending() || y.isCurrent(s) || s.kind != lines && time.Since(s.Modified) < quietFor {
			continue
		}
		c, r, err := y.follow(ctx, s)
		if err = y.settle(s, c, err); err == nil {
			res.add(y, s, c, r)
		} else if p, ok := problemOf(s, err); ok {
			res.Problems = append(res.Problems, p)
		} else {
			return res, err
		}
	}
	return res, y.endIdle(ctx)
}

// isCurrent reports whether an open stream has read a source as it is now.
func (y *Syncer) isCurrent(s *Source) bool {
	r := y.live[s.Path]
	return r != nil && r.source.file == s.file && r.source.Size == s.Size && r.source.Modified.Equal(s.Modified)
}

// follow records the new content of a source, and keeps its stream open.
func (y *Syncer) follow(ctx context.Context, s *Source) (*scanned, *recording, error) {
	if r := y.live[s.Path]; r != nil {
		if s.State == StateGrown && s.file == r.source.file && s.entry.Stream == r.scan.stream && r.isAppended() {
			return r.scan, r, y.resume(ctx, r, s)
		}
		if err := y.end(ctx, s.Path); err != nil {
			return r.scan, nil, err
		}
	}
	c, err := y.Progress.scan(ctx, s, y.FrameLimit)
	if err != nil || c.nothingNew() || c.onlyCopies() {
		return c, nil, err
	}
	if s.kind != lines {
		r, err := y.record(ctx, s, c)
		return c, r, err
	}
	r, err := y.begin(s, c)
	if err != nil {
		return c, nil, err
	}
	y.live[s.Path] = r
	return c, r, y.resume(ctx, r, s)
}

// isAppended reports whether the file of an open stream still has what was read of it, as far as
// splitter.last tells. Otherwise the file was rewritten in place.
func (r *recording) isAppended() bool {
	from, ok := r.from.(io.ReaderAt)
	return ok && r.splitter.isPartOf(from)
}

// resume records the new content of a source into its open stream. A failure abandons the
// stream.
func (y *Syncer) resume(ctx context.Context, r *recording, s *Source) error {
	r.source.Size, r.source.Modified, r.grew = s.Size, s.Modified, time.Now()
	r.frames, r.bytes = 0, 0
	err := r.read(ctx, true)
	if err == nil {
		err = r.commit(ctx)
	}
	if err != nil {
		delete(y.live, s.Path)
		r.abandon(ctx, err)
	}
	return err
}

// endIdle ends the streams of sources that have not grown for a while and, if too many streams are
// open, the oldest of them.
func (y *Syncer) endIdle(ctx context.Context) error {
	for {
		oldest := ""
		for path, r := range y.live {
			if oldest == "" || r.grew.Before(y.live[oldest].grew) {
				oldest = path
			}
		}
		if oldest == "" || len(y.live) <= liveStreams && time.Since(y.live[oldest].grew) < liveFor {
			return nil
		}
		if err := y.end(ctx, oldest); err != nil {
			return err
		}
	}
}

// end ends the stream of a source, with a last line that is complete and not terminated.
func (y *Syncer) end(ctx context.Context, path string) error {
	r := y.live[path]
	delete(y.live, path)
	if err := r.finish(ctx); err != nil || !r.splitter.ended() {
		return err
	}
	return r.save(true) // commit has left out the line
}

// endAll ends all streams.
func (y *Syncer) endAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copier.CloseTimeout/6)
	defer cancel()
	for path := range y.live {
		_ = y.end(ctx, path) // the durable part was saved before
	}
}
