package anthropicagent

import (
	"bytes"
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// markup is the open state of the XML forms: one element, and one inside of it.
type markup struct {
	scanner
	escapes
	name   string // of the element, without "content-block-"; "" outside of all elements
	inner  string // of the element inside
	id     []byte // of a call
	tool   []byte
	body   []byte // read when the element ends
	server bool   // the API executed the tool of the result
	owner  *agent // the agent of the result
	begun  bool
	cite   dialect.Attributes
}

// inside reports whether an element or a piece of a tag is open.
func (m *markup) inside() bool { return m.name != "" || len(m.held) > 0 }

// feedMarkup reads a frame of tags and text.
func (d *decoder) feedMarkup(in *dialect.Input) {
	m := &d.markup
	m.limit = payloadLimit
	in.Flags &^= schema.FlagNotJSON // this form is not JSON
	name := m.name
	text := in.Data
	if in.Transport == schema.SSE {
		text = d.brokenLines(in)
	}
	m.feed(text, (*markupSink)(d))
	if name == "" {
		name = m.name
	}
	if in.Type == "" {
		in.Type = typeName(name)
	}
	d.address()
}

// typeName returns the type of a frame in the middle of an element.
func typeName(name string) string {
	switch name {
	case "", "meta_init", "meta_final", "awaiting_frontend_tools", "citations":
		return name
	}
	return dialect.Intern([]byte(blockPrefix + name))
}

// leaveMarkup settles the open elements.
func (d *decoder) leaveMarkup() {
	m := &d.markup
	if !m.inside() {
		return
	}
	sink := (*markupSink)(d)
	if m.until != nil && len(m.held) > 0 {
		sink.text(m.held, m.cdata)
	}
	if m.name != "" {
		sink.close()
	}
	*m = markup{escapes: escapes{verbatim: m.verbatim, single: m.single, double: m.double}}
}

// present returns the agent that the tags belong to.
func (d *decoder) present() *agent {
	if d.speaker != nil && d.root != nil {
		return d.speaker
	}
	return d.agent(nil)
}

// introduced returns the agent of a meta_init. Other tags name none.
func (d *decoder) introduced(data []byte) *agent {
	id := dialect.RawText(data, "agent_uuid")
	if len(id) == 0 {
		return d.present()
	}
	if d.root != nil && d.root.id == "" && d.root.Run() == nil {
		d.root = nil
	}
	return d.agent(id)
}

const blockPrefix = "content-block-"

// markupSink is a decoder that receives tags and texts.
type markupSink decoder

func (s *markupSink) open(name, attributes []byte, empty bool) (literal bool) {
	d := (*decoder)(s)
	m := &d.markup
	short := string(bytes.TrimPrefix(name, []byte(blockPrefix)))
	nested := len(short) == len(name) && !strings.HasPrefix(short, "meta_") && short != "awaiting_frontend_tools"
	isResult := strings.HasSuffix(m.name, "tool_result")
	switch {
	case m.name == "":
	case m.name == "citations" && short == "citation":
		m.inner = short
		s.citation(attributes)
		return false
	case isResult && nested && short == "text" && !empty:
		m.inner = short
		return false
	case isResult && nested && short == "image":
		s.result()
		m.owner.image(m.id, unescape(attribute(attributes, "src")), unescape(attribute(attributes, "media_type")))
		return false
	case nested || !isElement(short):
		if isResult { // a tag in unescaped text
			s.keep("<", name, attributes, empty)
		}
		return false
	default: // the end of the open element was lost
		s.close()
	}
	d.Frame.Type = dialect.Intern(name)
	if !isElement(short) {
		d.Unknown()
		return false
	}
	literal = s.begin(short, attributes)
	if empty {
		s.close()
	}
	return literal
}

// isElement reports whether the name of an element is known.
func isElement(name string) bool {
	switch name {
	case "meta_init", "meta_final", "awaiting_frontend_tools", "citations",
		"text", "thinking", "tool_call", "server_tool_call", "meta_files", "error":
		return true
	}
	return strings.HasSuffix(name, "tool_result")
}

// begin begins an element.
func (s *markupSink) begin(name string, attributes []byte) (literal bool) {
	d := (*decoder)(s)
	m := &d.markup
	m.name, m.inner, m.begun, m.body, m.owner = name, "", false, nil, nil
	switch name {
	case "text", "thinking":
		return true
	case "meta_init", "meta_final", "awaiting_frontend_tools":
		data := m.whole(unescape(attribute(attributes, "data")))
		var a *agent
		if name == "meta_init" {
			a = d.introduced(data)
		} else {
			a = d.present()
		}
		if !d.payload(a, name, data) {
			d.Unknown()
		}
	case "tool_call", "server_tool_call":
		args := m.json(unescape(attribute(attributes, "arguments")))
		d.call(d.present(), unescape(attribute(attributes, "id")), unescape(attribute(attributes, "name")), args, true, name == "server_tool_call")
	case "meta_files", "error", "citations":
	default:
		m.id = bytes.Clone(unescape(attribute(attributes, "id")))
		m.tool = bytes.Clone(unescape(attribute(attributes, "name")))
		m.server = name != "tool_result" || bytes.HasPrefix(m.id, serverPrefix)
		m.owner = d.ownerOf(m.id)
	}
	return false
}

// ownerOf returns the agent that made a call, as tags name none.
func (d *decoder) ownerOf(call []byte) *agent {
	for _, a := range d.agents {
		if a.OpenTool(call) != nil {
			d.speaker = a
			return a
		}
	}
	for _, a := range d.agents { // an agent of an earlier connection that waited for the result
		if d.root == nil && a.whole != nil && a.whole.ID == "run:"+string(call) {
			d.enter(a)
			return a
		}
	}
	return d.present()
}

func (s *markupSink) text(piece []byte, cdata bool) {
	d := (*decoder)(s)
	m := &d.markup
	switch {
	case m.name == "":
		if len(bytes.TrimSpace(piece)) > 0 {
			d.Unknown()
		}
	case m.name == "text":
		d.text(d.present(), schema.MessageAssistant, s.said(piece), false)
	case m.name == "thinking":
		d.text(d.present(), schema.MessageThinking, s.said(piece), false)
	case !cdata && len(bytes.TrimSpace(piece)) == 0:
	case len(m.body)+len(piece) <= payloadLimit:
		m.body = append(m.body, piece...)
	}
}

// said unescapes a piece of text.
func (s *markupSink) said(piece []byte) []byte {
	said := s.markup.escapes.text(piece, s.room)
	if len(said) > 0 && len(piece) > 0 && &said[0] != &piece[0] {
		s.room = said[:0]
	}
	return said
}

// keep adds a tag that is part of a text.
func (s *markupSink) keep(bracket string, name, attributes []byte, empty bool) {
	m := &s.markup
	if len(m.body)+len(name)+len(attributes) > payloadLimit {
		return
	}
	m.body = append(append(append(m.body, bracket...), name...), attributes...)
	if empty {
		m.body = append(m.body, '/')
	}
	m.body = append(m.body, '>')
}

func (s *markupSink) end(name []byte) {
	m := &s.markup
	short := string(bytes.TrimPrefix(name, []byte(blockPrefix)))
	switch {
	case m.name == "":
	case m.inner != "" && short == m.inner:
		if m.inner == "citation" {
			s.cited()
		}
		m.inner = ""
	case short == m.name:
		s.close()
	case strings.HasSuffix(m.name, "tool_result"):
		s.keep("</", name, nil, false)
	}
}

// close ends the element.
func (s *markupSink) close() {
	d := (*decoder)(s)
	m := &d.markup
	name, body := m.name, m.body
	m.name, m.inner, m.body = "", "", nil
	switch name {
	case "text", "thinking":
		kind := schema.MessageAssistant
		if name == "thinking" {
			kind = schema.MessageThinking
		}
		d.text(d.present(), kind, m.rest(), true)
	case "meta_files":
		if !d.payload(d.present(), name, m.whole(body)) {
			d.Unknown()
		}
	case "error":
		d.payload(d.present(), name, m.json(body))
	case "citations", "meta_init", "meta_final", "awaiting_frontend_tools", "tool_call", "server_tool_call":
	default:
		m.body = body
		s.result()
		d.resultEnd(m.owner, m.id, nil)
		m.owner = nil
	}
}

// result records a result so far.
func (s *markupSink) result() {
	d := (*decoder)(s)
	m := &d.markup
	body := m.body
	m.body = nil
	if m.begun && len(body) == 0 {
		return
	}
	if m.server {
		body = m.json(body)
	} else {
		body = m.escapes.result(body)
	}
	m.begun = true
	d.result(m.owner, m.id, m.tool, body, m.server)
}

// citation begins a citation.
func (s *markupSink) citation(attributes []byte) {
	s.markup.cite = nil
	for _, name := range citedMembers {
		key := name
		if name == "citation_type" {
			key = "type"
		}
		if value := unescape(attribute(attributes, key)); len(value) > 0 {
			s.markup.cite.AddText(name, string(s.markup.plain(value)))
		}
	}
}

// cited ends a citation. Its body is the cited text.
func (s *markupSink) cited() {
	d := (*decoder)(s)
	m := &d.markup
	cite := m.cite
	cite.AddText("cited_text", string(m.plain(m.body)))
	m.body, m.cite = nil, nil
	d.present().cite([]byte(cite.Text()))
}

// plain unescapes a whole text.
func (e *escapes) plain(text []byte) []byte {
	out := e.text(text, nil)
	return append(out[:len(out):len(out)], e.rest()...)
}
