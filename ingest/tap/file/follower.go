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
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

const (
	// readSize bounds one read of a followed file, bytes.
	readSize = 128 << 10
	// sniffLimit bounds the bytes that are examined to detect NDJSON or SSE.
	sniffLimit = 64 << 10
	// saveEvery is the minimum interval between checkpoints.
	saveEvery = time.Second
)

// follower is the state of one Follow.
type follower struct {
	path      string
	opts      FollowOptions
	rec       *ingest.Recorder
	so        ingest.StreamOptions
	log       *slog.Logger
	store     *store // nil without StateDir
	recordCtx context.Context

	current *os.File   // nil if there is none
	next    []*os.File // files that replaced it, the oldest first
	grew    time.Time  // when the current file last grew or may have grown
	ended   time.Time  // when the end of the current file was last reached
	offset  int64      // in the current file, of the next read
	buf     []byte

	sniffed      []byte       // bytes read before the transport was known
	sniffedReads []schema.Cut // the reads of these bytes
	framer       ingest.Framer
	stream       *ingest.Stream // nil until its transport is known
	offsets      *copier.Offsets
	// firstSeq is the seq of the first frame of this Follow.
	firstSeq uint64

	// sections map the bytes of the stream, counted from this Follow's beginning, to files. The
	// oldest section contains the checkpoint.
	sections []section
	total    int64    // bytes read so far
	journal  *journal // nil once the stream consists of more than one file
	origin   int64    // with a journal: where the stream begins in the file
	saved    checkpoint
	savedAt  time.Time
}

// section is a range of bytes of the stream that are in one file.
type section struct {
	start int64 // in the stream
	base  int64 // offset of the same byte in the file
	file  identity
	head  *head
}

// enter begins a new section: a file from an offset on.
func (f *follower) enter(file identity, h *head, offset int64) {
	f.offset, f.grew = offset, time.Now()
	if len(f.sections) > 0 {
		f.dropJournal()
	}
	f.sections = append(f.sections, section{start: f.total, base: offset, file: file, head: h})
}

func (f *follower) section() *section { return &f.sections[len(f.sections)-1] }

// catchUp reads the current file to its end.
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
			f.saveIfDue()
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

// take records a read in the journal and in the stream.
func (f *follower) take(p []byte, at int64) error {
	if f.journal != nil {
		if err := f.journal.add(read{f.total + int64(len(p)), at}); err != nil {
			f.log.Warn("file: after a restart the stream's facts will begin anew", "path", f.path, "error", err)
			f.dropJournal()
		}
	}
	return f.split(p, at)
}

// dropJournal closes the journal, and the stream continues without one.
func (f *follower) dropJournal() {
	if f.journal != nil {
		f.journal.close()
		f.journal = nil
	}
}

// split splits a read into frames and records them.
func (f *follower) split(p []byte, at int64) error {
	f.total += int64(len(p))
	if f.stream != nil {
		return f.framer.Split(p, at, f.record)
	}
	f.sniffed = append(f.sniffed, p...)
	f.sniffedReads = append(f.sniffedReads, schema.Cut{Offset: uint32(len(f.sniffed)), At: at})
	t, sure := copier.ByFirstBytes(f.sniffed)
	if !sure && len(f.sniffed) < sniffLimit {
		return nil
	}
	return f.begin(t)
}

// begin opens the stream, once the transport is known.
func (f *follower) begin(t schema.Transport) error {
	if err := f.open(t, nil); err != nil {
		return err
	}
	// Save before the first frame: if this process is killed right after it, the next one
	// continues the same stream.
	if err := f.save(); err != nil {
		return err
	}
	lead, reads := f.sniffed, f.sniffedReads
	f.sniffed, f.sniffedReads = nil, nil
	start := uint32(0)
	for _, read := range reads {
		if err := f.framer.Split(lead[start:read.Offset], read.At, f.record); err != nil {
			return err
		}
		start = read.Offset
	}
	return nil
}

// open opens a new stream, or the stream of the checkpoint.
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

// finish records the incomplete last frame of the current file.
func (f *follower) finish() error {
	if len(f.sniffed) > 0 {
		t, _ := copier.ByFirstBytes(f.sniffed)
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

// saveIfDue saves a checkpoint if the last one is older than saveEvery. It only logs an error:
// without the checkpoint a restart records some frames again, which is not a reason to stop
// recording.
func (f *follower) saveIfDue() {
	if time.Since(f.savedAt) < saveEvery {
		return
	}
	if err := f.save(); err != nil {
		f.log.Warn("file: the checkpoint could not be written; a restart would continue from the previous one", "path", f.path, "error", err)
	}
}

// save writes a checkpoint if it has changed.
func (f *follower) save() error {
	if f.store == nil || f.stream == nil || len(f.sections) == 0 {
		return nil // unchanged
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
		place := f.sections[0].head.location(f.sections[0].file, f.origin)
		cp.Origin = &place
	}
	for i, s := range f.sections {
		offset := s.base
		if i == 0 {
			offset += durable - s.start
		}
		cp.Files = append(cp.Files, s.head.location(s.file, offset))
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

// closeFiles closes the files.
func (f *follower) closeFiles() {
	f.dropJournal()
	if f.current != nil {
		f.current.Close()
	}
	for _, file := range f.next {
		file.Close()
	}
}
