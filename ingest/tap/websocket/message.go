package websocket

import (
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// message builds the frames of one message after another, each from the pieces in which it arrived.
// A message over the limit becomes several frames that are marked schema.FlagOversize.
type message struct {
	buf    framing.Buffer
	limit  int
	open   bool
	binary bool
	cut    bool  // pieces were emitted
	at     int64 // arrival time of the read
	begun  bool  // the read contained bytes of a message
	joined bool  // a frame was emitted in this read
}

func newMessage(limit int) *message {
	return &message{buf: framing.New(schema.WebSocket), limit: limit}
}

// beginRead and endRead enclose the processing of one read.
func (m *message) beginRead(at int64) { m.at, m.begun, m.joined = at, false, false }

func (m *message) endRead() {
	if m.begun { // a read that contains only a header adds no cut
		m.buf.EndRead()
	}
}

func (m *message) begin(binary bool) { m.open, m.binary, m.cut = true, binary, false }

func (m *message) append(p []byte, emit func(*schema.Frame) error) error {
	if len(p) > 0 && !m.begun {
		m.buf.Begin(m.at)
		m.begun = true
	}
	for len(p) > 0 {
		room := m.limit - m.buf.Len()
		if room == 0 {
			m.cut, m.joined = true, true
			if err := m.buf.Emit(nil, m.flags(), emit); err != nil {
				return err
			}
			continue
		}
		n := min(room, len(p))
		m.buf.Append(p[:n])
		p = p[n:]
	}
	return nil
}

// end ends the message. It marks an incomplete message schema.FlagUnterminated; an incomplete
// message without any bytes makes no frame.
func (m *message) end(complete bool, emit func(*schema.Frame) error) error {
	if !m.open {
		return nil
	}
	m.open = false
	flags := m.flags()
	if !complete {
		flags |= schema.FlagUnterminated
	}
	joined := m.joined
	m.joined = true
	if m.buf.Len() > 0 {
		return m.buf.Emit(nil, flags, emit)
	}
	if !complete {
		return nil
	}
	if joined {
		flags |= schema.FlagJoined
	}
	return emit(&schema.Frame{At: m.at, Transport: schema.WebSocket, Flags: flags})
}

func (m *message) flags() (flags schema.Flags) {
	if m.binary {
		flags |= schema.FlagBinary
	}
	if m.cut {
		flags |= schema.FlagOversize
	}
	return flags
}
