package httpreplay

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// answer writes a recorded answer to a client. It is a player.Sink.
type answer struct {
	w       http.ResponseWriter
	r       *http.Request
	body    *emulate.Body
	partial bool // the body does not begin at the start of the recorded body
	status  int  // status of the final head; 0 before it
	read    bool // part of the body was written
	renames renames
	session func() string
	// addresses replaces addresses in header fields and, if describes is set, in the body. nil
	// means no replacement.
	addresses *strings.Replacer
	describes bool
	pieces    emulate.Pieces // of messages whose ids are replaced
}

// Play implements player.Sink.
func (a *answer) Play(f *replay.Frame, from, to int) error {
	if isHead(&f.Frame) {
		if to < len(f.Raw) {
			return nil // written when it is complete
		}
		return a.playHead(f.Raw)
	}
	if a.status == 0 {
		return nil // a body whose head was not recorded
	}
	a.read = true
	edits := a.describes && a.addresses != nil
	if a.renames == nil && !edits {
		return a.body.WriteRead(f, from, to)
	}
	if to < len(f.Raw) {
		return nil // the message is written when it is complete
	}
	if a.renames != nil {
		if f = a.pieces.Add(f); f == nil {
			return nil
		}
	}
	renamed := *f
	renamed.Cuts = nil
	if a.renames != nil {
		renamed.Raw = a.renames.renameFrame(&f.Frame)
	}
	if edits {
		renamed.Raw = []byte(a.addresses.Replace(string(renamed.Raw)))
	}
	return a.body.WriteRead(&renamed, 0, len(renamed.Raw))
}

func (a *answer) playHead(raw []byte) error {
	status, ok := statusLine(raw)
	switch {
	case !ok && a.status > 0 && strings.HasSuffix(string(raw), "\r\n\r\n"):
		trailers, err := fields(raw, false)
		if err != nil {
			return nil // a note for readers
		}
		if err := a.body.Flush(); err != nil {
			return err
		}
		for name, values := range trailers {
			for _, v := range values {
				a.w.Header().Add(http.TrailerPrefix+name, v)
			}
		}
		return nil
	case !ok || a.status > 0:
		return nil
	}
	h, err := fields(raw, true)
	if err != nil {
		return err
	}
	if status < 200 {
		if status == http.StatusContinue || status == http.StatusSwitchingProtocols {
			return nil // 100 and 101 concern a single connection
		}
		hints := a.w.Header()
		carry(hints, h)
		a.w.WriteHeader(status)
		clear(hints)
		return nil
	}
	to := a.w.Header()
	carry(to, h)
	if a.session != nil && h.Get(mcpSession) != "" {
		if id := a.session(); id != "" {
			to.Set(mcpSession, id)
		}
	}
	if a.addresses != nil {
		for _, values := range to {
			for i := range values {
				values[i] = a.addresses.Replace(values[i])
			}
		}
	}
	if a.partial || a.renames != nil || a.describes {
		to.Del("Content-Length")
	}
	if len(to["Content-Type"]) == 0 {
		to["Content-Type"] = nil // keep net/http from adding one
	}
	emulate.CrossOrigin(to, a.r)
	a.status = status
	a.w.WriteHeader(status)
	return a.body.Flush()
}

// Flush implements player.Sink.
func (a *answer) Flush() error {
	if a.status == 0 {
		return nil
	}
	return a.body.Flush()
}

// completion writes a provider's answer that was recorded without its head. It is a player.Sink.
type completion struct {
	w       http.ResponseWriter
	r       *http.Request
	body    *emulate.Body
	from    *provider
	begun   bool
	ended   bool // the provider's end marker was written
	cut     bool // the recording ended inside of the last message
	open    bool // the last event has no blank line behind it
	single  bool // the answer is one frame
	form    form
	renames renames
	pieces  emulate.Pieces // of messages whose ids are replaced
	joined  []byte
}

// Play implements player.Sink.
func (m *completion) Play(f *replay.Frame, from, to int) error {
	if !m.begun {
		m.begin(f)
	}
	if f.Type != "" && f.Type == m.from.done {
		m.ended = true
	}
	if f.Flags.Has(schema.FlagUnterminated) && !m.ended {
		var c schema.Content
		c, m.joined = schema.Unframe(&f.Frame, m.joined)
		m.cut = fastjson.ValidateBytes(c.Data) != nil
		m.open = f.Transport == schema.SSE
	}
	switch {
	case m.renames != nil && to < len(f.Raw):
		return nil // the message is written when it is complete
	case m.renames != nil:
		if f = m.pieces.Add(f); f == nil {
			return nil
		}
		renamed := *f
		renamed.Raw, renamed.Cuts = m.renames.renameFrame(&f.Frame), nil
		f, from, to = &renamed, 0, len(renamed.Raw)
	}
	switch {
	case m.form == asRecorded:
		return m.body.WriteRead(f, from, to)
	case to < len(f.Raw):
		return nil
	}
	var c schema.Content
	c, m.joined = schema.Unframe(&f.Frame, m.joined)
	switch {
	case c.Empty, m.cut:
		return nil
	case m.form == asJSON:
		return m.body.Write(c.Data)
	case m.form == asMessages:
		return m.body.Write(appendEventMessage(nil, c.Data))
	}
	name := ""
	if m.from.named {
		name = f.Type
	}
	return m.body.Write(emulate.AppendEvent(nil, "", name, c.Data))
}

// form is the form in which the frames of a completion are written.
type form int

const (
	asEvents   form = iota // as server-sent events
	asRecorded             // with the framing in which they were recorded
	asJSON                 // the message alone
	asMessages             // as messages of an AWS event stream
)

// begin writes the head that matches the form of the first frame.
func (m *completion) begin(f *replay.Frame) {
	m.begun = true
	kind := "text/event-stream; charset=utf-8"
	text := bytes.TrimLeft(f.Raw, " \t\r\n[")
	object := bytes.HasPrefix(text, []byte("{"))
	switch {
	case f.Transport == schema.SSE:
		m.form = asRecorded
	case f.Transport == schema.EventStream:
		m.form, kind = asRecorded, "application/vnd.amazon.eventstream"
	case f.Type != "" && f.Type == m.from.whole && (m.single || m.from.last(f)), m.from.at == nil && m.single && object:
		m.form, m.ended, kind = asJSON, true, "application/json"
	case m.from.messages:
		m.form, kind = asMessages, "application/vnd.amazon.eventstream"
	case m.from.lines:
		m.form, kind = asRecorded, "application/x-ndjson"
	case m.from.at == nil && !object: // lines such as 0:"text"
		m.form, m.ended, kind = asRecorded, true, "text/plain; charset=utf-8"
	}
	h := m.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	if name := m.from.field[0]; name != "" && kind != "application/json" {
		h.Set(name, m.from.field[1])
	}
	emulate.CrossOrigin(h, m.r)
	m.w.WriteHeader(http.StatusOK)
}

// Flush implements player.Sink.
func (m *completion) Flush() error {
	if !m.begun {
		return nil
	}
	return m.body.Flush()
}

// end writes the end marker, if the recording has none. An event that was cut off stays incomplete,
// so that clients discard it (WHATWG HTML, section 9.2.6).
func (m *completion) end(complete bool) error {
	if !complete || !m.begun || m.ended || m.cut || m.from.done == "" {
		return nil
	}
	marker := "data: " + m.from.done + "\n\n"
	if m.open {
		marker = "\n\n" + marker
	}
	return m.body.Write([]byte(marker))
}
