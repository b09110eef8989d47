package acp

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// message is one JSON-RPC message.
type message struct {
	*fastjson.Value
	raw []byte
}

// params returns a member of the message's parameters as JSON.
func (m *message) params(name string) []byte {
	return dialect.RawMember(dialect.RawMember(m.raw, "params"), name)
}

// session returns the id of the session in the message's parameters.
func (m *message) session() []byte { return m.GetStringBytes("params", "sessionId") }

// Types of frames that have no method.
const (
	typeResult = "result"
	typeError  = "error"
)

// methods has the methods of both versions of the protocol. Methods without a handler are known,
// and are requests or notifications without facts.
var methods = dialect.NewTypes(map[string]func(*decoder, *message){
	"session/prompt": (*decoder).prompt, "session/update": (*decoder).update,
	"session/new": (*decoder).open, "session/load": (*decoder).load, "session/resume": (*decoder).open,
	"session/fork": (*decoder).open, "session/request_permission": (*decoder).permission,
	"session/set_model": (*decoder).setModel, "session/set_config_option": (*decoder).setOption,
	"terminal/create": (*decoder).terminalRequest, "terminal/output": (*decoder).terminalRequest,
	"terminal/wait_for_exit": (*decoder).terminalRequest,

	"initialize": nil, "authenticate": nil, "logout": nil, "session/cancel": nil, "session/close": nil,
	"session/list": nil, "session/delete": nil, "session/set_mode": nil, "$/cancel_request": nil,
	"fs/read_text_file": nil, "fs/write_text_file": nil, "terminal/kill": nil, "terminal/release": nil,
	"elicitation/create": nil, "elicitation/complete": nil,
	"providers/list": nil, "providers/set": nil, "providers/disable": nil,
	"mcp/connect": nil, "mcp/disconnect": nil, "mcp/message": nil,
	"nes/start": nil, "nes/suggest": nil, "nes/accept": nil, "nes/reject": nil, "nes/close": nil,
	"document/didOpen": nil, "document/didChange": nil, "document/didSave": nil, "document/didFocus": nil, "document/didClose": nil,
})

// message reads a message and returns its type.
func (d *decoder) message(m *message) string {
	id := dialect.RawMember(m.raw, "id")
	if dialect.RawNull(id) {
		id = nil
	}
	method := m.GetStringBytes("method")
	switch {
	case len(method) > 0:
		return d.call(method, id, m)
	case !dialect.IsNull(m.Get("error")):
		d.response(id, m)
		return typeError
	case m.Exists("result"):
		d.response(id, m)
		return typeResult
	}
	d.Unknown()
	return ""
}

// call reads a request or a notification. An update is of the type that it names.
func (d *decoder) call(method, id []byte, m *message) string {
	s := d.session(m.session())
	typ, known := methods.Of(method)
	if !known && !bytes.HasPrefix(method, []byte("_")) { // extensions begin so
		d.Unknown()
	}
	if id != nil {
		if waits, again := d.waiting.Await(id, d.Frame.Direction, m.raw); waits {
			if !again {
				d.Unknown()
			}
			return typ.Name
		}
		d.waiting.Add(id, d.Frame.Direction, m.raw, request{method: typ.Name, session: s})
	}
	if known && typ.Handle != nil {
		typ.Handle(d, m)
	}
	if string(method) == "session/update" {
		if kind := m.GetStringBytes("params", "update", "sessionUpdate"); len(kind) > 0 {
			return dialect.Intern(kind)
		}
	}
	return typ.Name
}

// request is a request without a response.
type request struct {
	method  string
	session *session // nil if the request names none
	about   string   // a tool call, or a terminal
}

// asks returns the request in the present frame, or nil if the frame is a notification.
func (d *decoder) asks(m *message) *request {
	if dialect.RawNull(dialect.RawMember(m.raw, "id")) {
		return nil
	}
	return d.waiting.Latest()
}

// response reads a response.
func (d *decoder) response(id []byte, m *message) {
	r, found := d.waiting.Answer(id, d.Frame.Direction)
	if !found {
		return
	}
	d.present = r.session
	switch r.method {
	case "session/new", "session/load", "session/resume", "session/fork":
		d.opened(&r, m)
		return
	}
	if r.session == nil {
		return
	}
	switch r.method {
	case "session/prompt":
		r.session.answered(m)
	case "session/set_config_option":
		r.session.options(m.Get("result", "configOptions"))
	case "session/request_permission":
		r.session.decided(&r, m)
	case "terminal/create", "terminal/output", "terminal/wait_for_exit":
		r.session.terminalAnswer(&r, m)
	}
}
