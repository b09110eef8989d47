package codexappserver

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// message is one message.
type message struct {
	*fastjson.Value
	raw []byte
}

// params returns a member of the message's parameters as JSON.
func (m *message) params(name string) []byte {
	return dialect.RawMember(dialect.RawMember(m.raw, "params"), name)
}

// thread returns the id of the thread in the message's parameters.
func (m *message) thread() []byte {
	if id := m.GetStringBytes("params", "threadId"); len(id) > 0 {
		return id
	}
	return m.GetStringBytes("params", "thread", "id")
}

// Types of frames that have no method.
const (
	typeResult = "result"
	typeError  = "error"
)

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

// call reads a request or a notification.
func (d *decoder) call(method, id []byte, m *message) string {
	typ, known := methods.Of(method)
	if !known {
		d.Unknown()
	}
	t := d.thread(m.thread())
	if id != nil {
		if waits, again := d.waiting.Await(id, d.Frame.Direction, m.raw); waits {
			if !again {
				d.Unknown()
			}
			return typ.Name
		}
		d.waiting.Add(id, d.Frame.Direction, m.raw, request{method: typ.Name, thread: t})
	}
	switch {
	case typ.Name == "account/rateLimits/updated":
		d.rateLimits(m.Get("params", "rateLimits"))
	case typ.Handle == nil:
	case t == nil:
		d.Unknown() // messages of threads name theirs
	default:
		typ.Handle(t, m)
	}
	return typ.Name
}

// request is a request without a response.
type request struct {
	method string
	thread *thread // nil if the request names none
	item   string  // the item whose call waits for the response
}

// response reads a response.
func (d *decoder) response(id []byte, m *message) {
	r, found := d.waiting.Answer(id, d.Frame.Direction)
	if !found {
		return
	}
	d.present = r.thread
	switch r.method {
	case "account/rateLimits/read":
		d.rateLimits(m.Get("result", "rateLimits"))
	case "thread/start", "thread/resume", "thread/fork":
		d.opened(r.method, m)
	case "turn/start", "review/start":
		if r.thread != nil {
			r.thread.accepted(m)
		}
	default:
		if r.item != "" && r.thread != nil {
			r.thread.decided(&r, m)
		}
	}
}
