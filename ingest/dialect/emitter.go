package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tapedeck/schema"
)

// Emitter collects the facts of one stream. A decoder opens facts in it, changes them and reports
// every change. The recorder takes the changed facts whenever it cuts a block.
type Emitter struct {
	stream   string
	spans    []*Span
	messages []*Message
	usages   []*Usage
	titles   []Title
	limits   statedLimits
	used     uint64 // how often a usage was recorded or changed
	lost     uint64
}

// NewEmitter makes the emitter of a stream.
func NewEmitter(streamID string) *Emitter { return &Emitter{stream: streamID} }

// Span, Message and Usage are facts of an emitter. A decoder keeps pointers to the facts that may
// still change.
type (
	Span struct {
		schema.Span
		dirty bool
	}
	// Message's text is built with Append.
	Message struct {
		schema.Message
		text   []byte
		dirty  bool
		shared bool  // its text and chunks were taken and must not be overwritten
		since  int64 // when it was last taken while open, or first offered as a long one, ns
		taken  int   // the length of the text then
		full   bool  // its text had MaxText bytes then
		beyond int   // bytes left out beyond MaxText
	}
	Usage struct {
		schema.Usage
		dirty bool
	}
)

// LocalID returns the id of a fact that no other stream has: the kind, the stream and the frame
// with which it began.
func (b *Emitter) LocalID(kind string, f *schema.Frame) string {
	var room [96]byte
	buf := append(append(append(room[:0], kind...), ':'), b.stream...)
	return string(strconv.AppendUint(append(buf, ':'), f.Seq, 10))
}

// EventID returns the id of a fact that is the same in every stream with the same event: the kind
// and a hash of what identifies the event.
func EventID(kind string, hash uint64) string {
	return fmt.Sprintf("%s:event:%016x", kind, hash)
}

// fact returns what every fact takes from the frame with which it begins.
func fact(id string, f *schema.Frame) schema.Fact {
	return schema.Fact{ID: id, SeenAt: f.At, SeenSeq: f.Seq}
}

// OpenSpan begins a span at frame f. Its status is open, and its start is the frame's arrival.
// The caller sets the rest and need not call ChangedSpan.
func (b *Emitter) OpenSpan(kind schema.SpanKind, id, name string, f *schema.Frame) *Span {
	s := &Span{Span: schema.Span{
		Fact: fact(id, f), Kind: kind, Name: name, Status: schema.StatusOpen, Started: f.At,
	}}
	b.ChangedSpan(s, f)
	return s
}

// CloseSpan ends a span at frame f.
func (b *Emitter) CloseSpan(s *Span, status schema.Status, f *schema.Frame) {
	s.Status, s.Ended = status, f.At
	b.ChangedSpan(s, f)
}

// ChangedSpan records that frame f changed the span.
func (b *Emitter) ChangedSpan(s *Span, f *schema.Frame) {
	s.Version = f.Seq + 1
	if !s.dirty {
		s.dirty = true
		b.spans = append(b.spans, s)
	}
}

// OpenMessage begins a message at frame f, without text.
func (b *Emitter) OpenMessage(kind schema.MessageKind, id string, f *schema.Frame) *Message {
	m := &Message{Message: schema.Message{Fact: fact(id, f), Kind: kind, Started: f.At, Ended: f.At}}
	b.ChangedMessage(m, f)
	return m
}

// Append adds a chunk to the message's text. It copies the chunk.
func (b *Emitter) Append(m *Message, chunk []byte, f *schema.Frame) {
	if len(chunk) > 0 {
		m.grow(chunk, f.At)
	}
	m.Ended = f.At
	b.ChangedMessage(m, f)
}

// Room that is allocated for a message once its text comes in pieces: chunks, and bytes.
const (
	firstChunks = 32
	firstText   = 256
)

// doubledText is the size of a text, bytes, up to which its room doubles when it is full. A larger
// one gets a quarter more, so that less memory is unused.
const doubledText = 1 << 20

// MaxText bounds the text of a message that is kept as a fact, bytes. The frames alone have the
// rest, and the message's attribute truncated_bytes is its size. A fact is stored again whenever
// it has changed, and has to fit into a block.
const MaxText = 4 << 20

// fitting returns the part of a chunk that fits into MaxText, in whole characters.
func (m *Message) fitting(chunk []byte) []byte {
	room := MaxText - len(m.text)
	if len(chunk) <= room {
		return chunk
	}
	for room > 0 && !utf8.RuneStart(chunk[room]) {
		room--
	}
	m.beyond += len(chunk) - room
	return chunk[:room]
}

// grow adds a chunk. No chunks are listed while all of the text came with the frame in which the
// message began.
func (m *Message) grow(chunk []byte, at int64) {
	if m.beyond > 0 {
		m.beyond += len(chunk)
		return
	}
	if chunk = m.fitting(chunk); len(chunk) == 0 {
		return
	}
	if len(m.text) == 0 && len(m.ChunkAt) == 0 && at == m.Started {
		m.text = append(m.text, chunk...)
		return
	}
	if len(m.ChunkAt) == 0 {
		m.ChunkAt, m.ChunkEnd = make([]int64, 0, firstChunks), make([]uint32, 0, firstChunks)
		if len(m.text) > 0 {
			m.ChunkAt, m.ChunkEnd = append(m.ChunkAt, m.Started), append(m.ChunkEnd, uint32(len(m.text)))
		}
		m.text = slices.Grow(m.text, max(firstText, len(chunk)))
	}
	if len(m.text)+len(chunk) > cap(m.text) && len(m.text) < doubledText {
		m.text = slices.Grow(m.text, max(len(m.text), len(chunk)))
	}
	m.text = append(m.text, chunk...)
	m.ChunkAt, m.ChunkEnd = append(m.ChunkAt, at), append(m.ChunkEnd, uint32(len(m.text)))
}

// SetText replaces the message's text, for dialects that send growing snapshots. If the new text
// continues the old one, only the difference is a new chunk. If the new text is the beginning of
// the old one, for example without trailing blanks, the chunks up to its end stay.
func (b *Emitter) SetText(m *Message, text []byte, f *schema.Frame) {
	m.beyond = 0
	if strings.HasPrefix(Alias(text), Alias(m.text)) {
		b.Append(m, text[len(m.text):], f)
		return
	}
	if len(text) > 0 && strings.HasPrefix(Alias(m.text), Alias(text)) {
		m.cutTo(len(text))
		m.Ended = f.At
		b.ChangedMessage(m, f)
		return
	}
	m.text, m.ChunkAt, m.ChunkEnd = m.text[:0], m.ChunkAt[:0], m.ChunkEnd[:0]
	if m.shared {
		m.text, m.ChunkAt, m.ChunkEnd, m.shared = nil, nil, nil, false
	}
	if len(text) > 0 {
		m.grow(text, f.At)
	}
	m.Ended = f.At
	b.ChangedMessage(m, f)
}

// cutTo shortens the text to its first n bytes, at least one.
func (m *Message) cutTo(n int) {
	if m.shared {
		m.ChunkAt, m.ChunkEnd, m.shared = slices.Clone(m.ChunkAt), slices.Clone(m.ChunkEnd), false
	}
	m.text = m.text[:n:n] // bytes behind n may have been taken
	for i, end := range m.ChunkEnd {
		if int(end) >= n {
			m.ChunkEnd[i] = uint32(n)
			m.ChunkAt, m.ChunkEnd = m.ChunkAt[:i+1], m.ChunkEnd[:i+1]
			return
		}
	}
}

// Complete records that the text is complete.
func (b *Emitter) Complete(m *Message, f *schema.Frame) {
	m.Message.Complete = true
	b.ChangedMessage(m, f)
}

// TextLen returns the length of the message's text so far, bytes.
func (m *Message) TextLen() int { return len(m.text) }

// TextSoFar returns the message's text so far. It is valid until the text changes.
func (m *Message) TextSoFar() []byte { return m.text }

// ChangedMessage records that frame f changed the message.
func (b *Emitter) ChangedMessage(m *Message, f *schema.Frame) {
	m.Version = f.Seq + 1
	if !m.dirty {
		m.dirty = true
		b.messages = append(b.messages, m)
	}
}

// Say records a whole message.
func (b *Emitter) Say(kind schema.MessageKind, id string, text []byte, f *schema.Frame) *Message {
	m := b.OpenMessage(kind, id, f)
	b.Append(m, text, f)
	m.Message.Complete = true
	return m
}

// Use records a usage. A later usage with the same id replaces it. A caller that keeps the
// pointer and changes the usage calls ChangedUsage.
func (b *Emitter) Use(id, scope string, mode schema.UsageMode, t schema.Tokens, f *schema.Frame) *Usage {
	u := &Usage{Usage: schema.Usage{Fact: fact(id, f), Scope: scope, Mode: mode, Tokens: t}}
	b.ChangedUsage(u, f)
	return u
}

// ChangedUsage records that frame f changed the usage.
func (b *Emitter) ChangedUsage(u *Usage, f *schema.Frame) {
	b.used++
	u.Version, u.At = f.Seq+1, f.At
	if !u.dirty {
		u.dirty = true
		b.usages = append(b.usages, u)
	}
}

// SetTitle sets the title of a session from a user message, cut to one short line. The first
// title of a session stays.
func (b *Emitter) SetTitle(session string, text []byte) {
	title := TitleOf(text)
	if title == "" {
		return
	}
	for _, t := range b.titles {
		if t.Session == session {
			return
		}
	}
	b.titles = append(b.titles, Title{Session: strings.Clone(session), Text: title})
}

// Title is the title of a session. Session is the id that the frames name.
type Title struct{ Session, Text string }

// TakeTitles returns the titles set since the last call.
func (b *Emitter) TakeTitles() []Title {
	titles := b.titles
	b.titles = nil
	return titles
}

// Lost records that n frames are missing before the present one.
func (b *Emitter) Lost(n uint64) { b.lost += n }

// TakeLost returns the number of lost frames since the last call.
func (b *Emitter) TakeLost() uint64 {
	n := b.lost
	b.lost = 0
	return n
}
