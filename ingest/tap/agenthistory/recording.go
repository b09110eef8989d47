package agenthistory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// recording records one source as a stream.
type recording struct {
	*Syncer
	source   *Source
	scan     *scanned
	entry    *entry // the durable part
	stream   *ingest.Stream
	splitter *splitter
	identify identifier
	lines    idList // lines that the stream owns now and the entry does not have
	from     io.ReadCloser
	grew     time.Time
	frames   uint64 // new frames
	bytes    uint64
	summary  ingest.Summary // of the stream, once it has ended
	failed   bool           // the stream was abandoned
	// Frames whose times were not used: what Result has counted before, and what it has to count.
	counted, unused unusedTimes
}

// unusedTimes counts frames whose times were not used: see ingest.Summary.
type unusedTimes struct{ misdated, copied uint64 }

// countTimes updates unused from the stream.
func (r *recording) countTimes() {
	var now unusedTimes
	now.misdated, now.copied = r.stream.UnusedTimes()
	r.unused = unusedTimes{now.misdated - r.counted.misdated, now.copied - r.counted.copied}
	r.counted = now
}

// errChanged reports a source that changed while it was read.
var errChanged = errors.New("the file was rewritten while it was read; the next sync records it")

// begin opens the stream of a source.
func (y *Syncer) begin(s *Source, c *scanned) (*recording, error) {
	r := &recording{Syncer: y, source: s, scan: c, lines: c.lines, grew: time.Now()}
	r.identify.source = s
	tags := map[string]string{"agent": string(s.Agent)}
	for name, value := range map[string]string{"project": s.Project, "branch": s.Branch} {
		if value != "" {
			tags[name] = value
		}
	}
	maps.Copy(tags, y.ownTags(s))
	var err error
	if r.from, err = s.open(); err != nil {
		return nil, err
	}
	r.stream, err = y.Recorder.Open(ingest.StreamOptions{
		Tenant: y.Tenant, Session: s.Session, Dialect: s.Agent.dialect(),
		Evidence: "a file of " + string(s.Agent), Source: s.Path, Title: s.title(), Tags: tags, FrameClock: true,
		Digest:    s.kind != tree,
		Transport: schema.NDJSON,
		Resume:    &ingest.Resume{StreamID: c.stream, NextSeq: c.next, Again: c.next > 0},
	})
	if err != nil {
		r.from.Close()
		return nil, &openError{err}
	}
	r.entry = newEntry(s, c.stream, c.generation)
	r.entry.Tags = y.ownTags(s)
	return r, nil
}

// title returns the title of a session in which nothing is said: the name of its file.
func (s *Source) title() string {
	if s.convert != nil && s.convert.untitled {
		return ""
	}
	return filepath.Base(s.Path)
}

// openError reports a source whose stream cannot be opened.
type openError struct{ error }

func (e *openError) Unwrap() error { return e.error }

// read records the scanned content or, if all is set, everything to the end of the source.
func (r *recording) read(ctx context.Context, all bool) error {
	if r.splitter == nil {
		r.splitter = newSplitter(r.source, r.FrameLimit, nil)
	}
	r.splitter.emit = r.emit(ctx)
	from := io.Reader(r.from)
	if !all {
		from = r.scan.limited(r.source, from)
	}
	return r.splitter.split(from, func() error { return context.Cause(ctx) })
}

// emit returns a function that records a frame, until ctx ends.
func (r *recording) emit(ctx context.Context) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		r.mark(f)
		if seq := r.splitter.frames; seq >= r.scan.next {
			r.frames++
			r.bytes += uint64(len(f.Raw))
		}
		return r.stream.Record(ctx, f)
	}
}

// mark flags a frame whose line another stream owns. If no stream owns the line, this stream
// becomes its owner.
func (r *recording) mark(f *schema.Frame) {
	seq := r.splitter.frames
	if seq >= r.scan.frames && f.Raw[len(f.Raw)-1] == '\n' {
		if ids := r.identify.of(f.Raw); len(ids) > 0 {
			r.Progress.mu.Lock()
			defer r.Progress.mu.Unlock()
			if o := r.Progress.owners(); o.other(r.scan.stream, ids) {
				r.scan.copies.set(seq)
			} else {
				r.lines = append(r.lines, o.claim(r.scan.stream, ids)...)
			}
		}
	}
	if r.scan.copies.has(seq) {
		f.Flags |= schema.FlagCopied
	}
}

// commit waits until the recorded frames are durable, and saves the progress. A last line without a
// terminator is left to finish, or to the next run if this one is killed.
func (r *recording) commit(ctx context.Context) error {
	if err := r.stream.Flush(ctx); err != nil {
		return err
	}
	r.countTimes()
	return r.save(!r.splitter.ended())
}

// save saves the progress. whole reports that the source was recorded to its end.
func (r *recording) save(whole bool) error {
	e := *r.entry
	e.Size, e.Modified = r.source.Size, r.source.Modified.UnixNano()
	e.Offset, e.Frames, e.Digest = r.splitter.offset, r.splitter.frames, r.splitter.digest.Sum64()
	e.Lines, r.lines = r.lines, nil
	if r.source.writing || !whole {
		e.Size = -1
	}
	return r.Progress.save(&e)
}

// finish records a last line without a terminator, and ends the stream.
func (r *recording) finish(ctx context.Context) error {
	defer r.from.Close()
	r.splitter.emit = r.emit(ctx)
	err := r.splitter.end()
	var closed error
	r.summary, closed = r.stream.Close(ctx, schema.EndEOF) // waits while the server is away
	r.countTimes()
	return errors.Join(err, closed)
}

// abandonTimeout bounds the wait for the end of a stream that the next run continues.
const abandonTimeout = 2 * time.Second

// abandon ends the stream of a source that could not be recorded to its end.
func (r *recording) abandon(ctx context.Context, err error) {
	r.from.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTimeout)
	defer cancel()
	r.failed = true
	r.summary, _ = r.stream.Interrupt(ctx, copier.Reason(err)) // the first error counts
}

// record records a source that was scanned.
func (y *Syncer) record(ctx context.Context, s *Source, c *scanned) (*recording, error) {
	r, err := y.begin(s, c)
	if err != nil {
		return nil, err
	}
	err = r.read(ctx, false)
	if err == nil && !c.unread && (r.splitter.frames != c.frames || r.splitter.digest.Sum64() != c.digest) {
		err = &readError{errChanged}
	}
	if err != nil {
		r.abandon(ctx, err)
		return r, err
	}
	if err = r.finish(ctx); err != nil {
		r.abandon(ctx, err)
	} else {
		err = r.save(true)
	}
	if err != nil {
		return r, fmt.Errorf("record %s: %w", s.Path, err)
	}
	return r, nil
}

// ownTags returns the tags that users gave a source, in this run or an earlier one.
func (y *Syncer) ownTags(s *Source) map[string]string {
	if s.entry == nil || len(s.entry.Tags) == 0 {
		return y.Tags
	}
	tags := maps.Clone(s.entry.Tags)
	maps.Copy(tags, y.Tags)
	return tags
}
