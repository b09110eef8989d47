package proxy

import (
	"bytes"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// readFramer makes one frame of each read, for bodies without recognisable messages.
type readFramer struct{ buf framing.Buffer }

var _ ingest.Framer = (*readFramer)(nil)

func newReadFramer() *readFramer { return &readFramer{framing.New(schema.HTTP)} }

// Split implements ingest.Framer.
func (c *readFramer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	return c.buf.Emit(p, 0, emit)
}

// End implements ingest.Framer.
func (c *readFramer) End(int64, func(*schema.Frame) error) error { return nil }

// bodyFramer makes one frame of a body. A body over the limit becomes several frames that are
// marked schema.FlagOversize.
type bodyFramer struct {
	buf   framing.Buffer
	limit int
	over  bool
}

var _ ingest.Framer = (*bodyFramer)(nil)

func newBodyFramer(limit int) *bodyFramer {
	return &bodyFramer{buf: framing.New(schema.HTTP), limit: limit}
}

// Split implements ingest.Framer.
func (c *bodyFramer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	for len(p) > 0 {
		room := c.limit - c.buf.Len()
		if room == 0 {
			c.over = true
			if err := c.buf.Emit(nil, schema.FlagOversize, emit); err != nil {
				return err
			}
			continue
		}
		n := min(room, len(p))
		c.buf.Append(p[:n])
		p = p[n:]
	}
	c.buf.EndRead()
	return nil
}

// End implements ingest.Framer.
func (c *bodyFramer) End(_ int64, emit func(*schema.Frame) error) error {
	var flags schema.Flags
	if c.over {
		flags = schema.FlagOversize
	}
	c.over = false
	return c.buf.Emit(nil, flags, emit)
}

// untypedFramer makes one frame of a request body that is JSON by its first byte, and masks secrets
// in it by their names. Of other bodies it makes one frame of each read. It is for content types
// that do not say what a body is: browsers send every string as text/plain.
type untypedFramer struct {
	ingest.Framer
	json   ingest.Framer
	judged bool // a byte other than white space was read
}

func newUntypedFramer(json ingest.Framer) *untypedFramer {
	return &untypedFramer{Framer: newReadFramer(), json: json}
}

// Split implements ingest.Framer.
func (c *untypedFramer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if !c.judged {
		text := bytes.TrimLeft(p, "\ufeff \t\r\n")
		c.judged = len(text) > 0
		if c.judged && (text[0] == '{' || text[0] == '[') {
			c.Framer = c.json
		}
	}
	return c.Framer.Split(p, at, emit)
}

// redactingFramer masks secrets in a body by their names: in JSON, and in a form that a client
// sends.
type redactingFramer struct {
	ingest.Framer
	mask  func(*schema.Frame)
	whole bool // the body is one message, of which only the first frame is masked
	begun bool // the first frame of the body was emitted
}

// Split implements ingest.Framer.
func (c *redactingFramer) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	return c.Framer.Split(p, at, c.redacted(emit))
}

// End implements ingest.Framer.
func (c *redactingFramer) End(at int64, emit func(*schema.Frame) error) error {
	return c.Framer.End(at, c.redacted(emit))
}

func (c *redactingFramer) redacted(emit func(*schema.Frame) error) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		if !c.whole || !c.begun {
			c.mask(f)
		}
		c.begun = true
		return emit(f)
	}
}
