package tapefile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Limits of one record of frames: small enough to read quickly, large enough to compress well. The
// first records of a session are smaller, so that a short session is not lost as a whole if the
// file is truncated.
const (
	firstFrames = 32
	groupFrames = 4096
	groupBytes  = 512 << 10 // of raw bytes; a larger frame has its own record
)

// Writer writes a tape file. Sessions are written one after another: Begin, then the frames, then
// the facts, then the notes.
type Writer struct {
	w       io.Writer
	offset  int64
	frames  uint64
	entries []entry
	err     error // the first error; it is permanent

	session string
	group   group
	limit   int    // maximum frames of the next group
	body    []byte // scratch
	buf     []byte // scratch: a record
}

// NewWriter returns a writer that has started a file.
func NewWriter(w io.Writer) (*Writer, error) {
	t := &Writer{w: w}
	t.write(header())
	return t, t.err
}

// Begin begins a session. parts are the states of the segments of its streams, which have at least
// one frame in total.
func (w *Writer) Begin(session string, parts []schema.StreamState) error {
	if err := w.Flush(); err != nil {
		return err
	}
	if len(session) > maxMeta/2 {
		return fmt.Errorf("session id of %d bytes: a tape file accepts at most %d", len(session), maxMeta/2)
	}
	w.session, w.group.last, w.limit = session, schema.Position{}, firstFrames
	return w.States(parts)
}

// States writes the current states of the segments of the session's streams. If a state is written
// again, the higher version counts.
func (w *Writer) States(parts []schema.StreamState) error {
	w.body = w.body[:0]
	for i := range parts {
		w.body = appendBlock(w.body, &block.Block{Session: w.session, State: parts[i]}, nil)
		if len(w.body) >= groupBytes && i < len(parts)-1 {
			w.record(KindStreams, &Meta{Session: w.session})
			w.body = w.body[:0]
		}
	}
	w.record(KindStreams, &Meta{Session: w.session})
	return w.err
}

// Add writes a copy of the session's next frame, in position order.
func (w *Writer) Add(f *replay.Frame) error {
	if pos := f.Position(); pos.Compare(w.group.last) <= 0 && !w.group.last.IsZero() {
		return fmt.Errorf("write frame %s to a tape after %s: frames come in order", pos, w.group.last)
	}
	if w.group.frames > 0 && w.group.bytes+len(f.Raw) > groupBytes {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	w.group.add(f)
	if w.group.frames >= w.limit {
		w.limit = min(2*w.limit, groupFrames)
		return w.Flush()
	}
	return w.err
}

// Flush writes the buffered frames, so that a reader can see them.
func (w *Writer) Flush() error {
	if w.group.frames == 0 {
		return w.err
	}
	g := &w.group
	m := Meta{Session: w.session, First: g.first, Last: g.last, Frames: uint64(g.frames), Bytes: uint64(g.bytes)}
	w.body = g.take(w.body[:0], w.session)
	w.record(KindFrames, &m)
	return w.err
}

// Facts writes facts of the session, each with its segment. Each block has Facts, and a State of
// which id, first frame and dialect are used.
func (w *Writer) Facts(blocks []block.Block) error {
	if err := w.Flush(); err != nil {
		return err
	}
	w.body = w.body[:0]
	for i := range blocks {
		b := block.Block{Session: w.session, State: blocks[i].State, Facts: blocks[i].Facts}
		w.body = appendBlock(w.body, &b, nil)
	}
	w.record(KindFacts, &Meta{Session: w.session})
	return w.err
}

// Copy writes a record of another file unchanged, except its index. It copies whole sessions,
// without other writes in between.
func (w *Writer) Copy(r *Record) error {
	if r.Kind == KindIndex || w.err != nil {
		return w.err
	}
	e := r.entry()
	e.offset = w.offset
	w.note(e)
	w.write(r.bytes)
	return w.err
}

// Close writes the index, which completes the file. The caller closes the underlying writer.
func (w *Writer) Close() error {
	if err := w.Flush(); err != nil {
		return err
	}
	at := w.offset
	w.body = appendIndex(w.body[:0], w.entries)
	w.record(KindIndex, &Meta{})
	w.write(trailer(at, int(w.offset-at)))
	err := w.err
	w.err = errors.Join(w.err, errClosed)
	return err
}

var errClosed = errors.New("the tape file is already complete")

// record writes a record with the body in w.body.
func (w *Writer) record(kind Kind, m *Meta) {
	if w.err != nil {
		return
	}
	if len(w.body) > maxData {
		w.err = fmt.Errorf("a record of %d bytes exceeds the limit of a tape file, %d", len(w.body), maxData)
		return
	}
	m.Body = len(w.body)
	w.buf = append(w.buf[:0], make([]byte, headSize)...)
	w.buf = m.append(w.buf, kind)
	h := recordHead{kind: kind, meta: len(w.buf) - headSize}
	w.buf = encoder().EncodeAll(w.body, w.buf)
	h.data = len(w.buf) - headSize - h.meta
	h.sum = crc32.Checksum(w.buf[headSize:], castagnoli)
	h.append(w.buf[:0])
	w.note(entry{Meta: *m, kind: kind, offset: w.offset, size: len(w.buf)})
	w.write(w.buf)
}

// note adds an entry to the index.
func (w *Writer) note(e entry) {
	w.entries = append(w.entries, e)
	w.frames += e.Frames
}

func (w *Writer) write(p []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.w.Write(p)
		w.offset += int64(n)
	}
}

// Written returns the number of bytes and frames in the file so far.
func (w *Writer) Written() (bytes int64, frames uint64) { return w.offset, w.frames }
