package agenthistory

import (
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// splitter splits the content of a source into frames, and counts the complete ones. It can be
// called again once the source has grown.
type splitter struct {
	kind   kind
	framer ingest.Framer
	limit  int
	buf    []byte
	at     int64 // the arrival time of frames without one, ns
	emit   func(*schema.Frame) error

	frames uint64 // complete ones
	offset int64  // bytes of these frames
	digest xxhash.Digest
	tail   []byte // the bytes after the last of them, up to the frame limit
}

// splitSize bounds one read, bytes.
const splitSize = 128 << 10

// newSplitter makes the splitter of a source. emit is called with each frame; frames is then
// the number of those before it.
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

// split reads to the present end of the content. between is called before each read, and its
// error ends the reading.
func (c *splitter) split(from io.Reader, between func() error) error {
	for {
		if err := between(); err != nil {
			return err
		}
		n, err := from.Read(c.buf)
		if n > 0 {
			c.keepTail(c.buf[:n])
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

func (e *readError) Error() string { return fmt.Sprintf("read: %v", reasonOf(e.err)) }
func (e *readError) Unwrap() error { return e.err }

// keepTail keeps the bytes after the last frame.
func (c *splitter) keepTail(p []byte) {
	if len(c.tail)+len(p) <= c.limit+splitSize {
		c.tail = append(c.tail, p...)
	}
}

// take emits a complete frame. The end of a document, after its messages, changes with each
// write and is left out.
func (c *splitter) take(f *schema.Frame) error {
	if c.kind == document && f.Flags.Has(schema.FlagNote) {
		return nil
	}
	c.tail = c.tail[:copy(c.tail, c.tail[min(len(f.Raw), len(c.tail)):])]
	f.Cuts = nil // a file has none
	n := int64(len(f.Raw))
	_, _ = c.digest.Write(f.Raw)
	if err := c.emit(f); err != nil {
		return err
	}
	c.frames++
	c.offset += n
	return nil
}

// end emits an unterminated last line if it is a whole JSON value. The line is not counted: once
// it is terminated it is emitted again.
func (c *splitter) end() error {
	if !c.ended() {
		return nil
	}
	return c.framer.End(c.at, c.emit)
}

// ended reports whether a last line without a terminator is whole.
func (c *splitter) ended() bool {
	return c.kind == lines && len(c.tail) > 0 && wellformed.JSON(c.tail)
}

// unfinished reports whether a last line is not complete.
func (c *splitter) unfinished() bool { return c.kind == lines && len(c.tail) > 0 && !c.ended() }
