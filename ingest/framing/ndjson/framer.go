// Package ndjson splits newline-delimited JSON into frames: one line, one frame.
package ndjson

import (
	"bytes"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// Framer splits lines. A frame is a line with its terminator, LF or CRLF.
//   - A line of only white space is a frame marked FlagNote.
//   - A byte order mark stays in place, in the first frame.
//   - A line of more bytes than the limit, including its terminator, is divided into
//     pieces of the limit, each marked FlagOversize.
//   - A last line without a terminator is marked FlagUnterminated unless it is one
//     complete JSON value.
//   - A value that is printed on several lines is one frame: a line that is only "{"
//     begins it, the next line that is only "}" ends it, and the lines between are
//     indented. If a line is not indented, or the limit is reached, each line becomes
//     a frame of its own.
//   - A JSON array of objects in place of lines, compact or printed on several lines:
//     each element is a frame, with the bytes between it and the previous element; the
//     first frame also has the array's "[". The array's end is a frame marked FlagNote.
//     An array on one line is an ordinary line if anything but white space follows it.
//   - A conversation file of the Gemini CLI, which is one object whose member "messages"
//     is an array of objects after "sessionId" and "projectHash", within its first 4 KiB:
//     the bytes before the array are a frame, then each element as above, and the rest
//     of the object is a frame marked FlagNote.
//
// A Framer is not safe for use by several goroutines. After an error it must not be used
// again.
type Framer struct {
	buf     framing.Buffer
	limit   int
	line    int  // offset of the current line in a value on several lines; otherwise 0
	over    bool // inside a line or an element over the limit
	started bool // a frame was emitted
	mode    mode
	scan    scanner // scanner of an array, or of the object after a conversation's messages
	head    headScanner
	member  bool // the array is the messages of a conversation
}

var _ ingest.Framer = (*Framer)(nil)

// NewFramer returns a framer that keeps frames of up to limit bytes whole; 0 means
// ingest.DefaultFrameLimit.
func NewFramer(limit int) *Framer {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	return &Framer{buf: framing.New(schema.NDJSON), limit: limit}
}

// NewLines returns a framer for a stream that is known to be lines, such as messages of JSON-RPC: an array
// in its first line is a frame.
func NewLines(limit int) *Framer {
	c := NewFramer(limit)
	c.mode = inLines
	return c
}

// Split implements ingest.Framer.
func (c *Framer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	for len(p) > 0 {
		n, err := c.split(p, emit)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	c.buf.EndRead()
	return nil
}

// split consumes some of the bytes and returns how many.
func (c *Framer) split(p []byte, emit func(*schema.Frame) error) (int, error) {
	switch c.mode {
	case atStart:
		return c.splitStart(p, emit)
	case opening:
		return c.splitOpening(p, emit)
	case probing:
		return c.splitProbing(p, emit)
	case inArray:
		return c.splitArray(p, emit)
	case inRest:
		return c.splitRest(p, emit)
	case closing:
		return c.splitClosing(p, emit)
	}
	part := p[:min(len(p), c.limit-c.buf.Len())]
	i := bytes.IndexByte(part, '\n')
	if i >= 0 {
		part = part[:i+1]
	}
	if n, ok := c.opensConversation(part); ok {
		return n, c.splitHead(part[:n], emit)
	}
	return len(part), c.take(part, i >= 0, emit)
}

// take adds a piece of a line, at most up to the limit. ends reports that the piece ends the line.
func (c *Framer) take(part []byte, ends bool, emit func(*schema.Frame) error) error {
	full := c.buf.Len()+len(part) >= c.limit
	switch {
	case c.line > 0:
		c.buf.Append(part)
		return c.continueValue(ends, full, emit)
	case !ends && !full:
		c.buf.Append(part)
		return nil
	case c.over || !ends:
		c.over = !ends
		return c.emit(part, schema.FlagOversize, emit)
	case !full && c.opens(part):
		c.buf.Append(part)
		c.line = c.buf.Len()
		return nil
	}
	return c.emitLine(part, emit)
}

// opens reports whether the pending line, with its last piece, begins a value on several lines.
func (c *Framer) opens(part []byte) bool {
	const longest = len("\xef\xbb\xbf{\r\n")
	if c.buf.Len()+len(part) > longest {
		return false
	}
	var line [longest]byte
	n := copy(line[:], c.buf.Pending())
	n += copy(line[n:], part)
	return isBrace(c.withoutMark(line[:n]), '{')
}

func isBrace(line []byte, brace byte) bool {
	line, ok := bytes.CutSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	return ok && len(line) == 1 && line[0] == brace
}

// emitLine emits the pending bytes and part, which together are a complete line.
func (c *Framer) emitLine(part []byte, emit func(*schema.Frame) error) error {
	if c.buf.Len() > 0 {
		c.buf.Append(part)
		return c.emitFirst(c.buf.Len(), emit)
	}
	var flags schema.Flags
	if c.isBlank(part) {
		flags = schema.FlagNote
	}
	return c.emit(part, flags, emit)
}

func (c *Framer) emit(part []byte, flags schema.Flags, emit func(*schema.Frame) error) error {
	c.started = true
	return c.buf.Emit(part, flags, emit)
}

// isBlank reports whether the line is only white space.
func (c *Framer) isBlank(p []byte) bool {
	if len(p) > 0 && ' ' < p[0] && p[0] < 0x80 {
		return false // nearly every line
	}
	return len(bytes.TrimSpace(c.withoutMark(p))) == 0
}

// withoutMark removes the byte order mark from the first line.
func (c *Framer) withoutMark(line []byte) []byte {
	if c.started {
		return line
	}
	return bytes.TrimPrefix(line, []byte(orderMark))
}

// End implements ingest.Framer.
func (c *Framer) End(_ int64, emit func(*schema.Frame) error) error {
	flags, err := c.endArray(emit)
	if err != nil {
		return err
	}
	rest := c.buf.Pending()
	switch {
	case c.mode == inArray && !c.over || c.mode == inRest || c.mode == closing:
	case c.over:
		flags = schema.FlagOversize | schema.FlagUnterminated
	case c.isBlank(rest):
		flags = schema.FlagNote
	case !wellformed.JSON(c.withoutMark(rest)):
		flags = schema.FlagUnterminated
	}
	c.line, c.over = 0, false
	return c.emit(nil, flags, emit)
}
