package natstap

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// source is a stream of the recording: the messages of one subject, and of one session if a header
// or a token of the subject names the session.
type source struct {
	tap     *tap
	number  uint64 // in the files of the position
	key     key
	shown   key // for logs, files and the name of the session: secrets are masked
	stream  *ingest.Stream
	buffer  framing.Buffer
	element *list.Element // in the order of use; nil once it is being ended
	used    time.Time

	// The fields below are written under tap.mu.

	first    uint64 // number of its first message
	last     uint64 // the highest number of its messages
	count    uint64 // number of its messages
	intact   bool   // its messages are all messages of its key from first to last, in the order of their numbers
	durable  uint64 // all frames below are durable
	pending  []pending
	assigned uint64 // number of frames of the messages that were assigned to it
	attempt  uint64 // how often it was resumed
}

// key identifies a source.
type key struct {
	Subject string `json:"subject"`
	Session string `json:"session,omitempty"` // as a header or the subject names it
	Masked  bool   `json:"masked,omitempty"`  // a secret in the key was masked, so that no message matches the key
}

// show masks secrets in a key.
func (t *tap) show(k key) key {
	shown := key{Subject: t.rec.Mask(k.Subject), Session: k.Session}
	if session := t.masked(k.Session); session != k.Session {
		shown.Session = ingest.SessionID(session)
	}
	shown.Masked = k.Masked || shown.Subject != k.Subject || shown.Session != k.Session
	return shown
}

// masked masks secrets in the name of a session. Names that differ in a secret stay different.
func (t *tap) masked(name string) string {
	shown := t.rec.Mask(name)
	if shown == name {
		return name
	}
	return fmt.Sprintf("%s %x", shown, sha256.Sum256([]byte(name)))[:len(shown)+9]
}

// pending is a message, or a note, whose frames are not durable.
type pending struct {
	number uint64 // 0 for a note
	frames uint64
	end    uint64 // seq after its last frame
	note   string
	ack    func()
}

// assign adds a message after the messages that were assigned before. The caller holds tap.mu.
func (s *source) assign(p pending) {
	s.assigned += p.frames
	p.end = s.assigned
	s.pending = append(s.pending, p)
	switch {
	case p.number == 0:
		s.intact = false
		return
	case s.count == 0:
		s.first, s.intact = p.number, s.durable == 0 && p.end == p.frames
	case p.number < s.last:
		s.intact = false
	}
	s.count++
	s.last = max(s.last, p.number)
}

// settle is called by the stream when all frames below next are durable.
func (s *source) settle(next uint64) {
	var acks []func()
	t := s.tap
	t.mu.Lock()
	s.durable = max(s.durable, next)
	for len(s.pending) > 0 && s.pending[0].end <= next {
		p := s.pending[0]
		s.pending = s.pending[1:]
		if p.number > 0 {
			t.known.settle(p.number)
		}
		if p.ack != nil {
			acks = append(acks, p.ack)
		}
	}
	if len(s.pending) == 0 {
		s.pending = nil
	}
	t.mu.Unlock()
	for _, ack := range acks {
		ack()
	}
}

// record records the frames of a message.
func (s *source) record(m *message) error {
	t := s.tap
	var flags schema.Flags
	t.scratch, flags = t.raw(t.scratch[:0], m)
	raw := t.scratch
	s.buffer.Begin(m.at)
	for limit := t.opts.FrameLimit; len(raw) > limit; raw = raw[limit:] {
		flags |= schema.FlagOversize
		if err := s.buffer.Emit(raw[:limit], flags, s.emit); err != nil {
			return err
		}
	}
	err := s.buffer.Emit(raw, flags, s.emit)
	if cap(t.scratch) > largeScratch {
		t.scratch = nil
	}
	return err
}

// largeScratch is the size from which the memory of a message is released after use, bytes.
const largeScratch = 1 << 20

// frames returns the number of frames of a message.
func (t *tap) frames(m *message) uint64 {
	t.scratch, _ = t.raw(t.scratch[:0], m)
	return uint64(max(1, (len(t.scratch)+t.opts.FrameLimit-1)/t.opts.FrameLimit))
}

// note records a note of the recorder with a text.
func (s *source) note(text string, at int64) error {
	s.buffer.Begin(at)
	return s.buffer.Emit([]byte(text), schema.FlagNote|schema.FlagEventGap, s.emit)
}

func (s *source) emit(f *schema.Frame) error { return s.stream.Record(s.tap.recordCtx, f) }
