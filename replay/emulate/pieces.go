package emulate

import (
	"tapedeck/replay"
	"tapedeck/schema"
)

// Pieces joins the frames of messages that are larger than the limit of a frame. The frames must be
// of one stream and one direction, in order.
type Pieces struct {
	first int // size of the first piece of the open message, bytes; 0 for none
	raw   []byte
}

// Last reports whether a frame is the last of its message. The last piece of a large message is the
// one that is smaller than the first: a message whose size is a multiple of the limit has no last
// piece, and is joined to the message behind it.
func (p *Pieces) Last(f *schema.Frame) bool {
	switch {
	case !f.Flags.Has(schema.FlagOversize), f.Flags.Has(schema.FlagUnterminated), len(f.Raw) < p.first:
		p.first = 0
		return true
	case p.first == 0:
		p.first = len(f.Raw)
	}
	return false
}

// Add returns a frame with the whole message if the frame is the last of its message, otherwise nil.
func (p *Pieces) Add(f *replay.Frame) *replay.Frame {
	last := p.Last(&f.Frame)
	if last && len(p.raw) == 0 {
		return f
	}
	p.raw = append(p.raw, f.Raw...)
	if !last {
		return nil
	}
	message := *f
	message.Raw, message.Cuts = p.raw, nil
	message.Flags &^= schema.FlagOversize
	p.raw = nil
	return &message
}
