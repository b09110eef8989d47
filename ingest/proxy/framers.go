package proxy

import (
	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// pieces makes a frame of every read: for bodies that have no messages, or none
// that can be told.
type pieces struct{ buf framing.Buffer }

var _ ingest.Framer = (*pieces)(nil)

func newPieces() *pieces { return &pieces{framing.New(schema.HTTP)} }

// Cut implements ingest.Framer.
func (c *pieces) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	if len(p) == 0 {
		return nil
	}
	c.buf.Begin(at)
	return c.buf.Emit(p, 0, emit)
}

// End implements ingest.Framer.
func (c *pieces) End(int64, func(*schema.Frame) error) error { return nil }

// whole makes one frame of a body, or, if it is over the limit, pieces that are
// marked schema.FlagOversize.
type whole struct {
	buf   framing.Buffer
	limit int
	over  bool
}

var _ ingest.Framer = (*whole)(nil)

func newWhole(limit int) *whole { return &whole{buf: framing.New(schema.HTTP), limit: limit} }

// Cut implements ingest.Framer.
func (c *whole) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
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
func (c *whole) End(_ int64, emit func(*schema.Frame) error) error {
	var flags schema.Flags
	if c.over {
		flags = schema.FlagOversize
	}
	c.over = false
	return c.buf.Emit(nil, flags, emit)
}

// secretive is a framer that masks secrets in a JSON body that a client sends.
type secretive struct {
	*whole
	redact *redactor
	begun  bool // the first frame of the body was emitted
}

// Cut implements ingest.Framer.
func (c *secretive) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	return c.whole.Split(p, at, c.redacted(emit))
}

// End implements ingest.Framer.
func (c *secretive) End(at int64, emit func(*schema.Frame) error) error {
	return c.whole.End(at, c.redacted(emit))
}

func (c *secretive) redacted(emit func(*schema.Frame) error) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		if !c.begun {
			c.redact.body(f)
		}
		c.begun = true
		return emit(f)
	}
}
