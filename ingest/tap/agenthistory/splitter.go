package agenthistory

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// splitter splits the content of a source into frames, and counts the complete frames. split can be
// called again after the source has grown.
type splitter struct {
	kind   kind
	framer ingest.Framer
	limit  int
	buf    []byte
	at     int64 // the arrival time of frames without one, ns
	emit   func(*schema.Frame) error

	frames uint64 // complete frames
	offset int64  // bytes of these frames
	digest xxhash.Digest
	read   []byte // the bytes since the last complete frame before the current read, up to the frame limit
	taken  int    // number of bytes of read that were emitted as frames

	position int64  // bytes that were read
	last     []byte // the last of them, up to lastSize
}

const (
	// splitSize bounds one read, bytes.
	splitSize = 128 << 10
	// lastSize bounds the bytes by which a file that was rewritten in place is detected.
	lastSize = 16 << 10
)

// newSplitter returns the splitter of a source. emit is called with each frame; during the call,
// frames is the number of the frames before it.
func newSplitter(s *Source, limit int, emit func(*schema.Frame) error) *splitter {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	c := &splitter{
		kind: s.kind, framer: ndjson.NewFramer(limit), limit: limit, at: s.Modified.UnixNano(), emit: emit,
		buf: make([]byte, min(splitSize, max(s.Size+1, 4<<10))),
	}
	c.digest.Reset()
	return c
}

// split reads to the current end of the content. between is called before each read, and its error
// ends the reading.
func (c *splitter) split(from io.Reader, between func() error) error {
	for {
		if err := between(); err != nil {
			return err
		}
		n, err := from.Read(c.buf)
		if n > 0 {
			c.keep(c.buf[:n])
			c.remember(c.buf[:n])
			if failed := c.framer.Split(c.buf[:n], c.at, c.take); failed != nil {
				return failed
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return &readError{err}
		}
	}
}

// readError reports that a source could not be read.
type readError struct{ err error }

func (e *readError) Error() string {
	if errors.Is(e.err, errPart) || errors.Is(e.err, errChanged) {
		return e.err.Error()
	}
	return fmt.Sprintf("read: %v", reasonOf(e.err))
}

func (e *readError) Unwrap() error { return e.err }

// keep keeps the bytes of the next read until they are emitted as frames.
func (c *splitter) keep(p []byte) {
	c.read = c.read[:copy(c.read, c.read[c.taken:])]
	c.taken = 0
	if len(c.read)+len(p) <= c.limit+splitSize {
		c.read = append(c.read, p...)
	}
}

// remember updates position and last.
func (c *splitter) remember(p []byte) {
	c.position += int64(len(p))
	p = p[max(0, len(p)-lastSize):]
	over := max(0, len(c.last)+len(p)-lastSize)
	c.last = append(c.last[:copy(c.last, c.last[over:])], p...)
}

// isPartOf reports whether the content still has the last bytes that were read, at their position.
func (c *splitter) isPartOf(content io.ReaderAt) bool {
	now := make([]byte, len(c.last))
	n, _ := content.ReadAt(now, c.position-int64(len(now))) // a short read is another content
	return n == len(now) && bytes.Equal(now, c.last)
}

// tail returns the bytes after the last complete frame, up to the frame limit.
func (c *splitter) tail() []byte { return c.read[c.taken:] }

// take emits a complete frame. It leaves out the end of a document after its messages, which
// changes with each write.
func (c *splitter) take(f *schema.Frame) error {
	if c.kind == document && f.Flags.Has(schema.FlagNote) {
		return nil
	}
	c.taken += min(len(f.Raw), len(c.tail()))
	f.Cuts = nil // the reads of a file are not recorded
	n := int64(len(f.Raw))
	_, _ = c.digest.Write(f.Raw)
	if err := c.emit(f); err != nil {
		return err
	}
	c.frames++
	c.offset += n
	return nil
}

// end emits an unterminated last line if it is a complete JSON value. The line is not counted, so
// it is emitted again once it is terminated.
func (c *splitter) end() error {
	if !c.ended() {
		return nil
	}
	return c.framer.End(c.at, c.emit)
}

// ended reports whether the source ends with an unterminated line that is a complete JSON value.
func (c *splitter) ended() bool {
	return c.kind == lines && len(c.tail()) > 0 && wellformed.JSON(c.tail())
}

// unfinished reports whether the last line is incomplete.
func (c *splitter) unfinished() bool { return c.kind == lines && len(c.tail()) > 0 && !c.ended() }
