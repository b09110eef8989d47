// Package multipart splits multipart bodies (RFC 2046, section 5.1), such as forms with files, into
// frames, and masks secrets in them by name.
package multipart

import (
	"bytes"
	"mime"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// Framer makes one frame of each part, from the line of its delimiter to the line end before the
// next delimiter, and masks secrets in it as redact.ByName.Part does.
//   - The bytes of a file, and the bytes before the first delimiter and after the last one, are a
//     frame for each read.
//   - A part over the limit becomes several frames that are marked schema.FlagOversize. If the part
//     is a secret by its name, the bytes over the limit are left out.
//
// A Framer is not safe for use by several goroutines. After an error it must not be used again.
type Framer struct {
	buf       framing.Buffer
	limit     int
	delimiter []byte // "--" and the boundary
	names     *redact.ByName
	state     state
	secret    bool // the part is a secret by its name
	over      bool // the part is over the limit
	line      bool // the pending bytes begin at the beginning of a line
	scanned   int  // no delimiter begins in the pending bytes before this offset
}

var _ ingest.Framer = (*Framer)(nil)

// state is what the framer does with the pending bytes.
type state uint8

const (
	passed  state = iota // bytes are frames as they arrive
	head                 // the head of a part has not ended
	kept                 // bytes are kept up to the end of the part
	dropped              // bytes of a secret over the limit are left out
)

// headLimit bounds the bytes of a part that are searched for the end of its head.
const headLimit = 64 << 10

// Boundary returns the boundary of a multipart body, given its Content-Type; "" for another body.
func Boundary(contentType string) string {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(media, "multipart/") {
		return ""
	}
	return params["boundary"]
}

// NewFramer returns a framer of a body with a boundary. It keeps parts of up to limit bytes whole;
// 0 means ingest.DefaultFrameLimit.
func NewFramer(boundary string, limit int, names *redact.ByName) *Framer {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	return &Framer{
		buf: framing.New(schema.HTTP), limit: limit, delimiter: []byte("--" + boundary), names: names, line: true,
	}
}

// Split implements ingest.Framer.
func (c *Framer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	for len(p) > 0 {
		// The limit is exceeded at most by the bytes that decide whether a delimiter follows.
		n := min(len(p), c.limit+len(c.delimiter)+len("\r\n-")-c.buf.Len())
		c.buf.Append(p[:n])
		p = p[n:]
		if err := c.cut(emit); err != nil {
			return err
		}
	}
	c.buf.EndRead()
	return nil
}

// End implements ingest.Framer.
func (c *Framer) End(_ int64, emit func(*schema.Frame) error) error {
	n := c.buf.Len()
	switch {
	case n == 0:
		return nil
	case c.state == dropped:
		return c.drop(n)
	case c.state == head:
		c.state = kept
	}
	return c.emit(n, emit)
}

// cut emits frames of the pending bytes. Afterwards at most limit bytes are pending, plus the bytes
// that decide whether a delimiter follows.
func (c *Framer) cut(emit func(*schema.Frame) error) error {
	for {
		end, found := c.next()
		if c.state == head {
			c.readHead(end, found || end >= c.limit)
		}
		if err := c.cutBefore(end, found, emit); err != nil || !found {
			return err
		}
		c.state, c.over, c.line, c.scanned = head, false, false, len(c.delimiter)
		if bytes.HasPrefix(c.buf.Pending()[len(c.delimiter):], []byte("--")) {
			c.state = passed // after the last part
		}
	}
}

// cutBefore emits the first end pending bytes, or keeps them if their part continues. found reports
// that a delimiter follows them.
func (c *Framer) cutBefore(end int, found bool, emit func(*schema.Frame) error) error {
	switch {
	case end == 0:
		return nil
	case c.state == dropped:
		last := lineEnd(c.buf.Pending()[:end])
		if err := c.drop(end - last); err != nil || !found || last == 0 {
			return err
		}
		return c.emit(last, emit)
	case c.state == passed || found:
		return c.emit(end, emit)
	case end < c.limit:
		return nil
	}
	c.over = true
	err := c.emit(end, emit)
	if c.state = passed; c.secret {
		c.state = dropped
	}
	return err
}

// emit emits a frame of the first n pending bytes.
func (c *Framer) emit(n int, emit func(*schema.Frame) error) error {
	flags := schema.Flags(0)
	if c.over {
		flags = schema.FlagOversize
	}
	c.forget(n)
	if c.state != kept {
		return c.buf.EmitFirst(n, flags, emit)
	}
	return c.buf.EmitFirst(n, flags, func(f *schema.Frame) error {
		c.names.Part(f)
		return emit(f)
	})
}

// drop leaves out the first n pending bytes.
func (c *Framer) drop(n int) error {
	if n == 0 {
		return nil
	}
	c.forget(n)
	return c.buf.EmitFirst(n, 0, func(*schema.Frame) error { return nil })
}

// forget adjusts the offsets and flags of the pending bytes before the first n bytes are removed.
func (c *Framer) forget(n int) {
	c.line = c.buf.Pending()[n-1] == '\n'
	c.scanned = max(c.scanned-n, 0)
}

// readHead reads the head of the part in the first end pending bytes. known reports that the head
// is complete or too long.
func (c *Framer) readHead(end int, known bool) {
	part := c.names.PartOf(c.buf.Pending()[:end])
	if part.Content == end && !known && end < headLimit {
		return
	}
	c.state, c.secret = kept, part.Secret
	if part.File && !part.Secret {
		c.state = passed
	}
}

// next returns the offset of the next delimiter in the pending bytes. If there is none, it returns
// the offset before which none begins.
func (c *Framer) next() (end int, found bool) {
	pending := c.buf.Pending()
	if c.line && c.scanned == 0 {
		switch c.begins(pending) {
		case yes:
			return 0, true
		case unknown:
			return 0, false
		}
		c.line = false
	}
	for at := c.scanned; ; {
		n := bytes.IndexByte(pending[at:], '\n')
		if n < 0 {
			c.scanned = len(pending)
			return len(pending), false
		}
		at += n + 1
		switch c.begins(pending[at:]) {
		case yes:
			c.scanned = at
			return at, true
		case unknown:
			c.scanned = at - 1
			return at, false
		}
	}
}

type answer uint8

const (
	no answer = iota
	yes
	unknown // more bytes decide
)

// begins reports whether a text at the start of a line begins with a delimiter.
func (c *Framer) begins(text []byte) answer {
	n := len(c.delimiter)
	switch {
	case len(text) <= n && bytes.HasPrefix(c.delimiter, text):
		return unknown
	case !bytes.HasPrefix(text, c.delimiter):
		return no
	case bytes.IndexByte([]byte("\r\n \t"), text[n]) >= 0:
		return yes
	case text[n] == '-' && len(text) == n+1:
		return unknown
	case text[n] == '-' && text[n+1] == '-':
		return yes
	}
	return no
}

// lineEnd returns the length of the line end that a text ends with.
func lineEnd(text []byte) int {
	return len(text) - len(bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")))
}
