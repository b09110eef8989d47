package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"tapedeck/ingest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// importer makes blocks of a tape's records, as the recorder once made them: with
// the streams' own ids, so that what is there already replaces itself.
type importer struct {
	tenant, rename string
	publish        func(context.Context, ingest.EncodedBlock) error
	sessions       []*imported
	byID           map[string]*imported // by the id on the tape
	total          atomic.Uint64        // frames
}

// imported is what came of one session.
type imported struct {
	ID      string `json:"session"`
	Streams int    `json:"streams"`
	Frames  uint64 `json:"frames"`
	Bytes   uint64 `json:"bytes"`
	Facts   int    `json:"facts"`
	Missing uint64 `json:"missing"` // frames that the tape should hold and does not
	Title   string `json:"title"`

	copied bool                         // under another id than on the tape
	ended  *schema.StreamState          // the part whose end was reported last
	parts  map[string][]*importedStream // by stream, in order of their first frames
	order  []*importedStream
}

// importedStream is a part of a stream: as it was recorded, and as far as it
// has come.
type importedStream struct {
	whole, sofar schema.StreamState
	told         bool // whole was published
}

// Blocks are of the size in which the recorder cuts them.
const (
	importFrames = 4096
	importBytes  = 128 << 10
	importFacts  = 256
)

func newImporter(tenant, rename string) *importer {
	return &importer{tenant: tenant, rename: rename, byID: map[string]*imported{}}
}

func (im *importer) frames() uint64 { return im.total.Load() }

// read imports a tape. What was read before an error is published.
func (im *importer) read(ctx context.Context, from io.Reader) error {
	s := tapefile.NewScanner(from)
	var err error
	for err == nil {
		var rec *tapefile.Record
		if rec, err = s.Next(); err != nil || rec.Kind == tapefile.KindIndex {
			continue
		}
		to := im.session(rec.Session)
		err = rec.Blocks(rec.Kind == tapefile.KindStreams, func(b *block.Block) error {
			switch rec.Kind {
			case tapefile.KindStreams:
				to.tell(b.State)
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
		for _, to := range im.sessions {
			err = errors.Join(err, im.finish(ctx, to, broken))
		}
	}
	return err
}

func (im *importer) session(id string) *imported {
	to := im.byID[id]
	if to == nil {
		to = &imported{ID: cmp.Or(im.rename, id), copied: im.rename != "" && im.rename != id, parts: map[string][]*importedStream{}}
		im.byID[id] = to
		im.sessions = append(im.sessions, to)
	}
	return to
}

// importedRecorder is the recorder of a stream without an end that is imported under
// another session id, or of which the tape names no recorder. It is never alive, so the
// session is lost and not open.
const importedRecorder = "imported"

// tell notes how a part stands.
func (to *imported) tell(s schema.StreamState) {
	to.Title = cmp.Or(to.Title, s.Title)
	if s.Ended == 0 && (to.copied || s.Recorder == "") {
		s.Recorder = importedRecorder
	}
	list := to.parts[s.StreamID]
	for _, p := range list {
		if p.whole.FirstSeq == s.FirstSeq {
			if p.whole.Version <= s.Version {
				p.whole = s
			}
			return
		}
	}
	p := &importedStream{whole: s, sofar: s}
	if p.sofar.Frames, p.sofar.Bytes = 0, 0; len(list) == 0 {
		to.Streams++
	}
	p.sofar.Ended, p.sofar.EndReason, p.sofar.Counters, p.sofar.LastAt = 0, "", schema.Counters{}, s.FirstAt
	p.sofar.Version = 2 * s.FirstSeq
	list = append(list, p)
	slices.SortFunc(list, func(a, b *importedStream) int { return cmp.Compare(a.whole.FirstSeq, b.whole.FirstSeq) })
	to.parts[s.StreamID] = list
	to.order = append(to.order, p)
}

// part gives the part that a frame belongs to, or nil.
func (to *imported) part(stream string, seq uint64) *importedStream {
	list := to.parts[stream]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].whole.FirstSeq <= seq {
			return list[i]
		}
	}
	return nil
}

var errNoPart = errors.New("the tape holds frames or facts of a stream of which it tells nothing")

// addFrames publishes frames, cut into blocks of one part each.
func (im *importer) addFrames(ctx context.Context, to *imported, b *block.Block) error {
	builder := block.NewBuilder()
	defer builder.Release()
	var part *importedStream
	cut := func() error {
		if builder.Frames() == 0 {
			return nil
		}
		return im.send(ctx, to, part, builder, block.Facts{})
	}
	for i := range b.Frames {
		f := &b.Frames[i]
		of := to.part(b.State.StreamID, f.Seq)
		if of == nil {
			return errNoPart
		}
		if of != part || builder.Frames() >= importFrames || builder.Size() >= importBytes {
			if err := cut(); err != nil {
				return err
			}
			part = of
		}
		builder.Add(f)
		st := &part.sofar
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

// addFacts publishes facts, some at a time.
func (im *importer) addFacts(ctx context.Context, to *imported, b *block.Block) error {
	part := to.part(b.State.StreamID, b.State.FirstSeq)
	if part == nil || part.whole.FirstSeq != b.State.FirstSeq {
		return errNoPart
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
		err := im.send(ctx, to, part, builder, some)
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

// finish tells the end of every part. One of which frames are missing, since the
// tape broke, ends where it does.
func (im *importer) finish(ctx context.Context, to *imported, broken bool) error {
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
		if p.told {
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

// send publishes a block with the part's state so far. The state on the tape comes
// last, since whoever waits for the end is to find the facts; but where a part has
// not ended it comes with the last frames, so that no other state has its version.
func (im *importer) send(ctx context.Context, to *imported, p *importedStream, frames *block.Builder, facts block.Facts) error {
	if p.sofar.Frames >= p.whole.Frames && p.sofar.Version >= p.whole.Version {
		p.sofar, p.told = p.whole, true
	}
	blk := &block.Block{Tenant: im.tenant, Session: to.ID, State: p.sofar, Facts: facts}
	n := frames.Frames()
	data := frames.Encode(nil, blk, block.S2)
	return im.publish(ctx, ingest.EncodedBlock{Tenant: im.tenant, Session: to.ID, Frames: n, Data: data})
}
