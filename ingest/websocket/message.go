package websocket

import (
	"bytes"
	"unicode/utf8"

	"tapedeck/schema"
)

// Message makes frames of one message after the other, each put together from
// the parts in which it arrived. A message over the limit becomes pieces that
// are marked schema.FlagOversize.
//
// Where nothing else is said, emit is given a frame that is valid during the
// call, and its error is returned.
type Message struct {
	transport schema.Transport
	limit     int
	frame     schema.Frame
	open      bool
	cut       bool // pieces were emitted
}

// keepCapacity is how much memory a Message keeps for the next one, bytes.
const keepCapacity = 256 << 10

// NewMessage makes a Message for frames of the given transport and limit, bytes.
func NewMessage(t schema.Transport, limit int) *Message { return &Message{transport: t, limit: limit} }

// Open reports whether a message has begun and not ended.
func (m *Message) Open() bool { return m.open }

// Begin begins a message.
func (m *Message) Begin(binary bool) {
	m.open, m.cut = true, false
	m.clear()
	if binary {
		m.frame.Flags = schema.FlagBinary
	}
}

// Append adds bytes that arrived at the given time.
func (m *Message) Append(p []byte, at int64, emit func(*schema.Frame) error) error {
	m.frame.At = at
	for len(p) > 0 {
		room := m.limit - len(m.frame.Raw)
		if room == 0 {
			if err := m.piece(emit); err != nil {
				return err
			}
			m.frame.At = at
			continue
		}
		n := min(room, len(p))
		m.frame.Raw = append(m.frame.Raw, p[:n]...)
		p = p[n:]
	}
	return nil
}

// ReadEnded notes that a read ended at the given time. Inside a message that is
// a schema.Cut.
func (m *Message) ReadEnded(at int64) {
	n := uint32(len(m.frame.Raw))
	if !m.open || n == 0 {
		return
	}
	if last := len(m.frame.Cuts) - 1; last >= 0 && m.frame.Cuts[last].Offset == n {
		return
	}
	m.frame.Cuts = append(m.frame.Cuts, schema.Cut{Offset: n, At: at})
}

// End ends the message, which is marked schema.FlagUnterminated if it is not
// complete; of such a message that nothing came of there is no frame.
func (m *Message) End(at int64, complete bool, emit func(*schema.Frame) error) error {
	if !m.open {
		return nil
	}
	m.open = false
	flags := m.frame.Flags
	if m.cut {
		flags |= schema.FlagOversize
	}
	if !complete {
		if len(m.frame.Raw) == 0 {
			return nil
		}
		flags |= schema.FlagUnterminated
	}
	m.frame.At = at
	return m.emit(flags, emit)
}

// piece emits what there is of a message that is over the limit.
func (m *Message) piece(emit func(*schema.Frame) error) error {
	binary := m.frame.Flags & schema.FlagBinary
	err := m.emit(m.frame.Flags|schema.FlagOversize, emit)
	m.cut = true
	m.frame.Flags = binary
	return err
}

func (m *Message) emit(flags schema.Flags, emit func(*schema.Frame) error) error {
	f := &m.frame
	if last := len(f.Cuts) - 1; last >= 0 && int(f.Cuts[last].Offset) == len(f.Raw) {
		f.Cuts = f.Cuts[:last] // the read ended with the bytes, not inside them
	}
	if len(f.Cuts) == 0 {
		f.Cuts = nil
	}
	f.Transport = m.transport
	f.Flags = flags | TextFlags(f.Raw, flags.Has(schema.FlagOversize))
	err := emit(f)
	m.clear()
	return err
}

func (m *Message) clear() {
	raw := m.frame.Raw[:0]
	if cap(raw) > keepCapacity {
		raw = nil
	}
	m.frame = schema.Frame{Raw: raw, Cuts: m.frame.Cuts[:0]}
}

// TextFlags tells by flags what of p is not text: bytes that are not UTF-8, and
// NUL. Of a piece of a longer message the ends may lie within a character.
func TextFlags(p []byte, piece bool) schema.Flags {
	var flags schema.Flags
	if bytes.IndexByte(p, 0) >= 0 {
		flags |= schema.FlagNUL
	}
	if !utf8.Valid(p) && !(piece && utf8.Valid(trimCharacters(p))) {
		flags |= schema.FlagInvalidUTF8
	}
	return flags
}

// trimCharacters takes off the parts of characters at both ends.
func trimCharacters(p []byte) []byte {
	for range utf8.UTFMax - 1 {
		if len(p) > 0 && !utf8.RuneStart(p[0]) {
			p = p[1:]
		}
	}
	for i := range utf8.UTFMax {
		at := len(p) - 1 - i
		if at < 0 {
			break
		}
		if utf8.RuneStart(p[at]) {
			if !utf8.FullRune(p[at:]) {
				p = p[:at]
			}
			break
		}
	}
	return p
}
