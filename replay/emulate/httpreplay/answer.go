package httpreplay

import (
	"bytes"
	"net/http"
	"strings"

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
	joined  []byte
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
	if a.renames == nil {
		return a.body.WriteRead(f, from, to)
	}
	if to < len(f.Raw) {
		return nil // the message is written when it is complete
	}
	renamed := *f
	renamed.Raw, renamed.Cuts = a.rename(&f.Frame), nil
	return a.body.WriteRead(&renamed, 0, len(renamed.Raw))
}

// rename returns the bytes of a frame with the ids of its JSON-RPC messages replaced.
func (a *answer) rename(f *schema.Frame) []byte {
	var c schema.Content
	c, a.joined = schema.Unframe(f, a.joined)
	data, changed := a.renames.rename(c.Data)
	switch {
	case !changed:
		return f.Raw
	case f.Transport != schema.SSE:
		return append(data, f.Raw[len(bytes.TrimRight(f.Raw, " \t\r\n")):]...)
	}
	var event []byte
	for line := range bytes.Lines(f.Raw) {
		name, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		switch {
		case string(bytes.TrimPrefix(name, []byte("\ufeff"))) != "data":
			event = append(event, line...)
		case data != nil:
			event = append(append(append(event, "data: "...), data...), '\n')
			data = nil
		}
	}
	return event
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
	if a.partial || a.renames != nil {
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
	w      http.ResponseWriter
	r      *http.Request
	body   *emulate.Body
	from   *provider
	begun  bool
	ended  bool // the provider's end marker was written
	joined []byte
}

// Play implements player.Sink.
func (m *completion) Play(f *replay.Frame, from, to int) error {
	if !m.begun {
		m.begun = true
		h := m.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		if f.Transport != schema.SSE && f.Type != "" && f.Type == m.from.whole {
			h.Set("Content-Type", "application/json")
			m.ended = true
		}
		h.Set("Cache-Control", "no-cache")
		emulate.CrossOrigin(h, m.r)
		m.w.WriteHeader(http.StatusOK)
	}
	if f.Type != "" && f.Type == m.from.done {
		m.ended = true
	}
	switch {
	case f.Transport == schema.SSE:
		return m.body.WriteRead(f, from, to)
	case to < len(f.Raw):
		return nil
	}
	var c schema.Content
	c, m.joined = schema.Unframe(&f.Frame, m.joined)
	if c.Empty {
		return nil
	}
	if f.Type != "" && f.Type == m.from.whole && m.ended {
		return m.body.Write(c.Data)
	}
	name := ""
	if m.from.named {
		name = f.Type
	}
	return m.body.Write(emulate.AppendEvent(nil, "", name, c.Data))
}

// Flush implements player.Sink.
func (m *completion) Flush() error {
	if !m.begun {
		return nil
	}
	return m.body.Flush()
}

// end writes the end marker, if the recording has none.
func (m *completion) end(complete bool) error {
	if complete && m.begun && !m.ended && m.from.done != "" {
		return m.body.Write([]byte("data: " + m.from.done + "\n\n"))
	}
	return nil
}
