// Package sse splits text/event-stream into frames: one event, one frame.
package sse

import (
	"bytes"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// Framer splits events as WHATWG HTML, section 9.2.5 ("Parsing an event stream") delimits
// them. A frame is an event with the blank line that ends it; lines end in LF, CRLF or CR.
//   - A frame without a data field is marked FlagNote: comments, an id or a retry
//     alone, further blank lines (each a frame of its own).
//   - A byte order mark stays in place, in the first frame.
//   - An event of more bytes than the limit is divided into pieces of the limit,
//     each marked FlagOversize.
//   - An event without its blank line at the end is marked FlagUnterminated.
//
// A blank line that ends in CR is ambiguous, since the LF that belongs to it may arrive with the
// next read. If the line before it ended in CRLF, the framer waits for the LF. Otherwise the lines
// of this stream end in CR alone, and the frame ends at the CR at once; if an LF does follow, it is
// a blank line of its own. So no event waits for the next one, and the ends of frames do not depend
// on the division into reads.
//
// A Framer is not safe for use by several goroutines. After an error it must not be used
// again.
type Framer struct {
	buf   framing.Buffer
	limit int
	state state
	crlf  bool // the last line ended in CRLF
	over  bool // inside an event that is over the limit
}

// state is the position within a line.
type state uint8

const (
	lineStart    state = iota // at the start of a line
	inLine                    // inside a line that is not blank
	afterCR                   // like lineStart, but an LF belongs to the previous line
	afterBlankCR              // a blank line ended in CR; a following LF belongs to it
)

var _ ingest.Framer = (*Framer)(nil)

// NewFramer returns a framer that keeps events of up to limit bytes whole; 0 means
// ingest.DefaultFrameLimit.
func NewFramer(limit int) *Framer {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	return &Framer{buf: framing.New(schema.SSE), limit: limit, crlf: true}
}

// Split implements ingest.Framer.
func (c *Framer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	for len(p) > 0 {
		n, ended := c.scan(p[:min(len(p), c.limit-c.buf.Len())])
		part := p[:n]
		p = p[n:]
		if err := c.take(part, ended, emit); err != nil {
			return err
		}
	}
	c.buf.EndRead()
	return nil
}

// take adds a piece of an event, at most up to the limit. ended reports that the piece ends the
// event.
func (c *Framer) take(part []byte, ended bool, emit func(*schema.Frame) error) error {
	full := c.buf.Len()+len(part) >= c.limit
	switch {
	case !ended && !full:
		c.buf.Append(part)
		return nil
	case !ended || c.over:
		c.over = !ended
		return c.buf.Emit(part, schema.FlagOversize, emit)
	}
	return c.emit(part, 0, emit)
}

// emit emits the pending bytes and part as one frame.
func (c *Framer) emit(part []byte, flags schema.Flags, emit func(*schema.Frame) error) error {
	raw := part
	if c.buf.Len() > 0 {
		c.buf.Append(part)
		raw, part = c.buf.Pending(), nil
	}
	if !hasData(raw) {
		flags |= schema.FlagNote
	}
	return c.buf.Emit(part, flags, emit)
}

// End implements ingest.Framer.
func (c *Framer) End(_ int64, emit func(*schema.Frame) error) error {
	flags := schema.FlagUnterminated
	if c.state == afterBlankCR {
		flags = 0
	}
	over := c.over
	c.state, c.over, c.crlf = lineStart, false, true
	if over {
		return c.buf.Emit(nil, flags|schema.FlagOversize, emit)
	}
	return c.emit(nil, flags, emit)
}

// hasData reports whether an event has a data field.
func hasData(raw []byte) bool {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	for len(raw) > 0 {
		if rest, ok := bytes.CutPrefix(raw, []byte("data")); ok && (len(rest) == 0 || isOneOf(rest[0], ":\r\n")) {
			return true
		}
		i := lineEnd(raw)
		if i < 0 {
			return false
		}
		raw = raw[i+1:]
	}
	return false
}

func isOneOf(b byte, set string) bool {
	for i := range len(set) {
		if set[i] == b {
			return true
		}
	}
	return false
}
