// Package tapeimport creates blocks from tape files and publishes them.
package tapeimport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"tapedeck/ingest"
	"tapedeck/query/notes"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Importer creates blocks from a tape's records in the same way as the recorder, with the original
// stream ids, so that an import of stored frames replaces them.
type Importer struct {
	tenant, rename string
	publish        func(context.Context, ingest.EncodedBlock) error
	sender         *sender // nil if nothing is published
	Sessions       []*Session
	byID           map[string]*Session // by the session id on the tape
	total          atomic.Uint64       // frames
	noteBytes      int                 // size of the notes of all sessions
	memory         *memory             // nil for no bounds
}

// Session is the result of one session.
type Session struct {
	ID      string `json:"session"`
	Streams int    `json:"streams"`
	Frames  uint64 `json:"frames"`
	Bytes   uint64 `json:"bytes"`
	Facts   int    `json:"facts"`
	Missing uint64 `json:"missing"` // frames that the tape should contain and does not
	Title   string `json:"title"`
	Notes   int    `json:"notes"` // on the tape
	// Restored says what became of the notes; nil if the import does not restore them.
	Restored *notes.ImportResult `json:"restored_notes,omitempty"`

	kept     []tapefile.Note       // to restore
	refused  notes.ImportResult    // on reading
	copied   bool                  // imported under another id than on the tape
	ended    *schema.StreamState   // state of the segment whose end was published last
	segments map[string][]*segment // by stream, in order of their first frames
	order    []*segment
}

// segment is one stream's contiguous share of a session, as it was recorded, and the part of it
// that is imported.
type segment struct {
	whole, sofar schema.StreamState
	published    bool // the whole segment was published
}

// Blocks have the same size as the recorder's.
const (
	importFrames = 4096
	importBytes  = 128 << 10
	importFacts  = 256
)

// New returns an importer that publishes to a publisher; with nil it only checks a tape. If rename
// is not empty, the tape must have one session, which gets that id.
func New(tenant, rename string, to ingest.Publisher) *Importer {
	im := &Importer{tenant: tenant, rename: rename, byID: map[string]*Session{}}
	if to == nil {
		im.publish = func(context.Context, ingest.EncodedBlock) error { return nil }
		return im
	}
	im.sender = newSender(to)
	im.publish = im.sender.publish
	return im
}

// Frames returns the number of frames imported so far.
func (im *Importer) Frames() uint64 { return im.total.Load() }

// Import imports a tape. When it returns, all imported data is durable, even after an error.
func (im *Importer) Import(ctx context.Context, from io.Reader) error {
	err := im.read(ctx, from)
	if im.sender != nil {
		err = errors.Join(err, im.sender.wait(ctx))
	}
	return err
}

// read imports a tape. It publishes what was read before an error.
func (im *Importer) read(ctx context.Context, from io.Reader) error {
	s := tapefile.NewScanner(from)
	im.memory.bound(ctx, s)
	var err error
	for err == nil {
		var rec *tapefile.Record
		rec, err = s.Next()
		if err = im.memory.arrived(err); err != nil || rec.Kind == tapefile.KindIndex || rec.Kind > tapefile.KindNotes {
			continue
		}
		var to *Session
		if to, err = im.session(ctx, rec); err != nil {
			continue
		}
		if rec.Kind == tapefile.KindNotes {
			err = im.addNotes(to, rec)
			continue
		}
		err = rec.Blocks(rec.Kind == tapefile.KindStreams, func(b *block.Block) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			switch rec.Kind {
			case tapefile.KindStreams:
				n := im.memory.state(&b.State)
				if to.add(b.State) {
					n += entrySize
				}
				return im.keep(ctx, rec, n)
			case tapefile.KindFrames:
				return im.addFrames(ctx, to, b)
			case tapefile.KindFacts:
				return im.addFacts(ctx, to, b)
			}
			return nil
		})
	}
	if err == io.EOF {
		err = nil
	}
	if _, broken := errors.AsType[*tapefile.BreakError](err); err == nil || broken {
		for _, to := range im.Sessions {
			err = errors.Join(err, im.finish(ctx, to, broken))
		}
	}
	return err
}

// session returns the session of a record, and keeps what the import needs of the record until its
// end. The error is a BreakError for a session that no other way of recording accepts.
func (im *Importer) session(ctx context.Context, rec *tapefile.Record) (*Session, error) {
	id := rec.Session
	to := im.byID[id]
	if to == nil {
		to = &Session{ID: cmp.Or(im.rename, id), copied: im.rename != "" && im.rename != id,
			segments: map[string][]*segment{}}
		if err := ingest.CheckSession(to.ID); err != nil {
			return nil, rec.Refuse(fmt.Errorf("%w; \"tapedeck import --session ID\" gives the one session of a tape another id", err))
		}
		if err := im.keep(ctx, rec, entrySize); err != nil {
			return nil, err
		}
		im.byID[id] = to
		im.Sessions = append(im.Sessions, to)
	}
	if rec.Kind == tapefile.KindStreams {
		return to, im.keep(ctx, rec, int64(rec.Body)) // the states have their texts in it
	}
	return to, nil
}

// keep charges n bytes of a record. The error is a BreakError if they are too many.
func (im *Importer) keep(ctx context.Context, rec *tapefile.Record, n int64) error {
	err := im.memory.keep(ctx, n)
	if errors.Is(err, tapefile.ErrTooLarge) {
		return rec.Refuse(err)
	}
	return err
}

// importedRecorder is the recorder of a stream without an end that is imported under another
// session id, or for which the tape names no recorder. It is never alive, so the session counts as
// lost and not as open.
const importedRecorder = "imported"

// add adds a segment, or a newer state of it. It reports whether the segment is new.
func (to *Session) add(s schema.StreamState) bool {
	to.Title = cmp.Or(to.Title, s.Title)
	if s.Ended == 0 && (to.copied || s.Recorder == "") {
		s.Recorder = importedRecorder
	}
	list := to.segments[s.StreamID]
	at, known := slices.BinarySearchFunc(list, s.FirstSeq, func(p *segment, first uint64) int { return cmp.Compare(p.whole.FirstSeq, first) })
	if known {
		if list[at].whole.Version <= s.Version {
			list[at].whole = s
		}
		return false
	}
	p := &segment{whole: s, sofar: s}
	if p.sofar.Frames, p.sofar.Bytes = 0, 0; len(list) == 0 {
		to.Streams++
	}
	p.sofar.Ended, p.sofar.EndReason, p.sofar.Counters, p.sofar.LastAt = 0, "", schema.Counters{}, s.FirstAt
	p.sofar.Redacted, p.sofar.Limits, p.sofar.Version = nil, "", 2*s.FirstSeq
	to.segments[s.StreamID] = slices.Insert(list, at, p)
	to.order = append(to.order, p)
	return true
}

// segment returns the segment that contains a frame, or nil.
func (to *Session) segment(stream string, seq uint64) *segment {
	list := to.segments[stream]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].whole.FirstSeq <= seq {
			return list[i]
		}
	}
	return nil
}

var errNoSegment = errors.New("the tape holds frames or facts of a stream that it does not describe")

// addFrames publishes frames, split into blocks of one segment each.
func (im *Importer) addFrames(ctx context.Context, to *Session, b *block.Block) error {
	builder := block.NewBuilder()
	defer builder.Release()
	var seg *segment
	cut := func() error {
		if builder.Frames() == 0 {
			return nil
		}
		return im.send(ctx, to, seg, builder, block.Facts{})
	}
	for i := range b.Frames {
		f := &b.Frames[i]
		of := to.segment(b.State.StreamID, f.Seq)
		if of == nil {
			return errNoSegment
		}
		if of != seg || builder.Frames() >= importFrames || builder.Size() >= importBytes {
			if err := cut(); err != nil {
				return err
			}
			seg = of
		}
		builder.Add(f)
		st := &seg.sofar
		st.Frames++
		st.Bytes += uint64(len(f.Raw))
		st.LastAt = f.At
		st.Version = 2 * (f.Seq + 1)
		to.Frames++
		to.Bytes += uint64(len(f.Raw))
		im.total.Add(1)
	}
	return cut()
}

// addFacts publishes facts in several blocks.
func (im *Importer) addFacts(ctx context.Context, to *Session, b *block.Block) error {
	seg := to.segment(b.State.StreamID, b.State.FirstSeq)
	if seg == nil || seg.whole.FirstSeq != b.State.FirstSeq {
		return errNoSegment
	}
	to.Facts += b.Facts.Len()
	f := &b.Facts
	for f.Len() > 0 {
		var some block.Facts
		some.Spans, f.Spans = split(f.Spans, importFacts)
		some.Usages, f.Usages = split(f.Usages, importFacts)
		n, bytes := 0, 0
		for n < len(f.Messages) && n < importFacts && (n == 0 || bytes < importBytes) {
			bytes += len(f.Messages[n].Text)
			n++
		}
		some.Messages, f.Messages = split(f.Messages, n)
		builder := block.NewBuilder()
		err := im.send(ctx, to, seg, builder, some)
		builder.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func split[T any](list []T, n int) (first, rest []T) {
	n = min(n, len(list))
	return list[:n], list[n:]
}

// finish publishes the end of every segment. If the tape is broken, a segment with missing frames
// ends at its last frame.
func (im *Importer) finish(ctx context.Context, to *Session, broken bool) error {
	for _, p := range to.order {
		lacks := p.whole.Frames - min(p.whole.Frames, p.sofar.Frames)
		to.Missing += lacks
		if lacks > 0 && broken {
			if p.sofar.Frames == 0 {
				continue
			}
			p.sofar.Ended, p.sofar.EndReason = p.sofar.LastAt, "error: the tape file ended early"
			p.sofar.Version++
		} else {
			p.sofar = p.whole
		}
		if p.sofar.Ended != 0 {
			to.ended = &p.sofar
		}
		if p.published {
			continue
		}
		builder := block.NewBuilder()
		err := im.send(ctx, to, p, builder, block.Facts{})
		builder.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// send publishes a block with the segment's current state. The state on the tape is published last,
// so that a reader that waits for the end finds the facts. If a segment has not ended, its state is
// published with the last frames, so that no other state has the same version.
func (im *Importer) send(ctx context.Context, to *Session, p *segment, frames *block.Builder, facts block.Facts) error {
	if p.sofar.Frames >= p.whole.Frames && p.sofar.Version >= p.whole.Version {
		p.sofar, p.published = p.whole, true
	}
	blk := &block.Block{Tenant: im.tenant, Session: to.ID, State: p.sofar, Facts: facts}
	n := frames.Frames()
	data := frames.Encode(nil, blk, block.S2)
	return im.publish(ctx, ingest.EncodedBlock{Tenant: im.tenant, Session: to.ID, Frames: n, Data: data})
}

// Empty reports whether nothing of the session was imported.
func (to *Session) Empty() bool { return to.Frames == 0 && to.ended == nil }

// Ended returns the stream and the time of the last end that was published.
func (to *Session) Ended() (stream string, at int64, ok bool) {
	if to.ended == nil {
		return "", 0, false
	}
	return to.ended.StreamID, to.ended.Ended, true
}
