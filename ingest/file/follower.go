package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/copier"
	"tapedeck/schema"
)

const (
	// readSize is how much of a followed file is read at a time, bytes.
	readSize = 128 << 10
	// leadLimit bounds what is looked at to tell NDJSON from SSE, bytes.
	leadLimit = 64 << 10
	// saveEvery is the shortest time between two checkpoints.
	saveEvery = time.Second
)

// follower is one Follow.
type follower struct {
	path      string
	opts      FollowOptions
	rec       *ingest.Recorder
	so        ingest.StreamOptions
	log       *slog.Logger
	store     *store // nil without StateDir
	recordCtx context.Context

	current *os.File   // nil while there is none
	next    []*os.File // files that took its place, the oldest first
	grew    time.Time  // when the current file last grew, or may have
	ended   time.Time  // when it was last seen that nothing is left to read
	offset  int64      // in the current file, of what was not read
	buf     []byte

	lead    []byte       // read, while it is not known what cuts it
	leadAt  []schema.Cut // the reads that it came in
	framer  ingest.Framer
	stream  *ingest.Stream // nil until its transport is known
	offsets *copier.Offsets
	// firstSeq is the seq of the first frame of this Follow.
	firstSeq uint64

	// sections map the bytes of the stream, counted from this Follow's
	// beginning, to files. The oldest is that of the checkpoint.
	sections []section
	total    int64    // bytes read so far
	journal  *journal // nil once the stream goes over more than one file
	origin   int64    // with a journal: where in the file the stream begins
	saved    checkpoint
	savedAt  time.Time
}

// section is a run of bytes of the stream that lie in one file.
type section struct {
	start int64 // in the stream
	base  int64 // of the same byte in the file
	file  identity
	head  *head
}

// enter begins a new section: a file at an offset.
func (f *follower) enter(file identity, h *head, offset int64) {
	f.offset, f.grew = offset, time.Now()
	if len(f.sections) > 0 {
		f.dropJournal()
	}
	f.sections = append(f.sections, section{start: f.total, base: offset, file: file, head: h})
}

func (f *follower) section() *section { return &f.sections[len(f.sections)-1] }

// catchUp reads what there is of the current file.
func (f *follower) catchUp(ctx context.Context) error {
	if f.current == nil {
		return nil
	}
	if err := f.checkEmptied(); err != nil {
		return err
	}
	if f.buf == nil {
		f.buf = make([]byte, readSize)
	}
	for ctx.Err() == nil {
		began := time.Now()
		n, err := f.current.ReadAt(f.buf, f.offset)
		if n > 0 {
			at := ingest.Now()
			f.section().head.add(f.buf[:n], f.offset)
			f.offset += int64(n)
			f.grew = time.Now()
			if err := f.take(f.buf[:n], at); err != nil {
				return err
			}
			f.saveNowAndThen()
		}
		if errors.Is(err, io.EOF) {
			f.ended = began
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return nil
}

// take records what was read.
func (f *follower) take(p []byte, at int64) error {
	if f.journal != nil {
		if err := f.journal.add(read{f.total + int64(len(p)), at}); err != nil {
			f.log.Warn("after a restart the stream's facts would begin anew", "reason", err)
			f.dropJournal()
		}
	}
	return f.cut(p, at)
}

// dropJournal does without a journal from now on.
func (f *follower) dropJournal() {
	if f.journal != nil {
		f.journal.close()
		f.journal = nil
	}
}

// cut records what was read at a time.
func (f *follower) cut(p []byte, at int64) error {
	f.total += int64(len(p))
	if f.stream != nil {
		return f.framer.Split(p, at, f.record)
	}
	f.lead = append(f.lead, p...)
	f.leadAt = append(f.leadAt, schema.Cut{Offset: uint32(len(f.lead)), At: at})
	t, sure := copier.ByFirstBytes(f.lead)
	if !sure && len(f.lead) < leadLimit {
		return nil
	}
	return f.begin(t)
}

// begin opens the stream, now that it is known what cuts it.
func (f *follower) begin(t schema.Transport) error {
	if err := f.open(t, nil); err != nil {
		return err
	}
	// Before the first frame: should this process be killed right after it, the
	// next goes on with the same stream and does not begin another.
	if err := f.save(); err != nil {
		return err
	}
	lead, reads := f.lead, f.leadAt
	f.lead, f.leadAt = nil, nil
	start := uint32(0)
	for _, read := range reads {
		if err := f.framer.Split(lead[start:read.Offset], read.At, f.record); err != nil {
			return err
		}
		start = read.Offset
	}
	return nil
}

// open opens the stream, a new one or one to go on with.
func (f *follower) open(t schema.Transport, resume *ingest.Resume) error {
	so := f.so
	so.Transport, so.Resume = t, resume
	if resume != nil {
		f.firstSeq = resume.NextSeq
	}
	f.offsets = copier.NewOffsets(f.firstSeq, 0)
	if resume != nil && resume.Again {
		f.offsets = copier.NewOffsets(0, 0)
	}
	so.Durable = f.offsets.Durable
	s, err := f.rec.Open(so)
	if err != nil {
		return err
	}
	f.stream, f.framer = s, copier.NewFramer(t, f.opts.FrameLimit)
	f.so.Transport = t
	return nil
}

func (f *follower) record(frame *schema.Frame) error {
	f.offsets.Add(len(frame.Raw))
	return f.stream.Record(f.recordCtx, frame)
}

// finish records what is left of the current file though it is not complete.
func (f *follower) finish() error {
	if len(f.lead) > 0 {
		t, _ := copier.ByFirstBytes(f.lead)
		if err := f.begin(t); err != nil {
			return err
		}
	}
	if f.stream == nil {
		return nil
	}
	err := f.framer.End(ingest.Now(), f.record)
	f.framer = copier.NewFramer(f.so.Transport, f.opts.FrameLimit)
	return err
}

// saveNowAndThen saves if the last time is long enough ago. Without a checkpoint
// a restart repeats frames, which is no reason to stop recording.
func (f *follower) saveNowAndThen() {
	if time.Since(f.savedAt) < saveEvery {
		return
	}
	if err := f.save(); err != nil {
		f.log.Warn("no checkpoint could be left, a restart would go on from the one before", "reason", err)
	}
}

// save writes a checkpoint if there is anything new.
func (f *follower) save() error {
	if f.store == nil || f.stream == nil || len(f.sections) == 0 {
		return nil // nothing new to say
	}
	next, durable := f.offsets.Get()
	for len(f.sections) > 1 && f.sections[1].start <= durable {
		f.sections = f.sections[1:]
	}
	cp := checkpoint{
		Version: checkpointVersion, Path: f.path, StreamID: f.stream.ID(), NextSeq: next, Transport: f.so.Transport.String(),
		Settled: f.stream.Settled(),
	}
	if f.journal != nil {
		place := f.sections[0].head.place(f.sections[0].file, f.origin)
		cp.Origin = &place
	}
	for i, s := range f.sections {
		offset := s.base
		if i == 0 {
			offset += durable - s.start
		}
		cp.Files = append(cp.Files, s.head.place(s.file, offset))
	}
	for _, file := range f.next {
		place, err := beginning(file)
		if err != nil {
			return err
		}
		cp.Files = append(cp.Files, place)
	}
	if cp.equal(&f.saved) {
		return nil
	}
	f.savedAt = time.Now()
	if err := f.store.save(cp); err != nil {
		return err
	}
	f.saved = cp
	return nil
}

// drop closes the files.
func (f *follower) drop() {
	f.dropJournal()
	if f.current != nil {
		f.current.Close()
	}
	for _, file := range f.next {
		file.Close()
	}
}
