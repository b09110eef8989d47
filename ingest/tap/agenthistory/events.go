package agenthistory

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/valyala/fastjson"
)

// eventReader converts a session of OpenCode to the events of OpenCode's server, one per line, in
// the order in which the server sends them. The order is: a message when it begins, its parts, the
// message when it is complete, and session.idle before the user's next message.
type eventReader struct {
	objects  objects
	messages []storedMessage // in order
	writing  bool            // the last one is being written
	next     int             // message
	began    bool            // the session's own event was read
	busy     bool            // the agent has answered since the last session.idle
	goesOn   bool            // the agent's last answer has tool calls
	at       int64           // the latest time, ms
	rest     []byte          // the events that were not read yet
}

// objects reads the objects of an OpenCode session: files of its storage, or rows of its database.
// An object is valid until the next one is read. It is nil if it is missing, or incomplete because
// the agent is writing it; the next sync reads it.
type objects interface {
	session() *fastjson.Value
	message(m *storedMessage) *fastjson.Value
	part(m *storedMessage, i int) *fastjson.Value
}

// storedMessage is a message of a session, with the paths of its files or the ids of its rows.
type storedMessage struct {
	name  string
	parts []string
}

// Read implements io.Reader.
func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if !r.more() {
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *eventReader) Close() error { return nil }

// more converts the next message to events. It returns false after the last.
func (r *eventReader) more() bool {
	switch {
	case !r.began:
		r.began = true
		if v := r.objects.session(); v != nil {
			r.time(v.GetInt64("time", "created"))
			r.event("session.updated", "info", v)
		}
	case r.next < len(r.messages):
		r.next++
		if m := &r.messages[r.next-1]; r.next < len(r.messages) || !r.writing {
			r.message(m)
		}
	case r.busy && !r.goesOn && !r.writing:
		r.idle()
	default:
		return false
	}
	return true
}

func (r *eventReader) message(m *storedMessage) {
	v := r.objects.message(m)
	if v == nil {
		return
	}
	answer := string(v.GetStringBytes("role")) == "assistant"
	if !answer && r.busy {
		r.idle()
	}
	r.time(v.GetInt64("time", "created"))
	whole, end := v.MarshalTo(nil), v.GetInt64("time", "completed")
	goesOn := string(v.GetStringBytes("finish")) == "tool-calls"
	if answer {
		for _, name := range []string{"tokens", "cost", "error", "finish"} {
			v.Del(name)
		}
		if t := v.Get("time"); t != nil {
			t.Del("completed")
		}
	}
	r.event("message.updated", "info", v)
	for i := range m.parts {
		if part := r.objects.part(m, i); part != nil {
			r.time(max(part.GetInt64("time", "end"), part.GetInt64("time", "start"),
				part.GetInt64("state", "time", "end")))
			r.event("message.part.updated", "part", part)
		}
	}
	if answer {
		r.time(end)
		r.raw("message.updated", "info", whole)
		r.busy = true
	}
	r.goesOn = answer && goesOn
}

func (r *eventReader) idle() {
	r.busy = false
	id := fastjson.MustParse(`""`)
	if v := r.objects.session(); v != nil && v.Get("id") != nil {
		id = v.Get("id")
	}
	r.event("session.idle", "sessionID", id)
}

// time sets the time of the next events, ms, 0 if it is not known. The time never decreases.
func (r *eventReader) time(ms int64) { r.at = max(r.at, ms) }

func (r *eventReader) event(typ, name string, v *fastjson.Value) { r.raw(typ, name, v.MarshalTo(nil)) }

func (r *eventReader) raw(typ, name string, value []byte) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":%q,"timestamp":%d,"properties":{%q:%s}}`+"\n", typ, r.at, name, value)
	r.rest = append(r.rest, b.Bytes()...)
}

// openFor is how long the sync waits for an incomplete answer before it records it.
const openFor = 10 * time.Minute

// isWriting reports whether the last message of a session is an answer that the agent is still
// writing. Such a message is left out, since recorded frames must not change. modified is when the
// session was last written.
func isWriting(o objects, last *storedMessage, modified time.Time) bool {
	if time.Since(modified) > openFor {
		return false
	}
	v := o.message(last)
	return v != nil && string(v.GetStringBytes("role")) == "assistant" && v.GetInt64("time",
		"completed") == 0 && v.Get("error") == nil
}
