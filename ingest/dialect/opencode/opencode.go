// Package opencode reads OpenCode's reports on its sessions: the lines of "opencode run --format
// json", and the events of its server's /event, /global/event and /api/event.
// docs/dialects/opencode.md describes how it reads them.
package opencode

import (
	"bytes"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is OpenCode's lines and events.
var Dialect = dialect.Dialect{Name: "opencode", Match: match, Time: timeOf, New: newDecoder}

// timeOf reads the time of a line or of an event with a time, ms.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	v := unwrap(in.JSON)
	for _, path := range [...][]string{{"timestamp"}, {"properties", "time"}, {"properties", "timestamp"}, {"data", "timestamp"}} {
		if ms := v.GetUint64(path...); ms != 0 {
			return dialect.Milliseconds(ms)
		}
	}
	if dialect.IsObject(v.Get("data")) {
		return dialect.Milliseconds(v.GetUint64("created"))
	}
	return 0
}

// unwrap returns the event in a message of /global/event.
func unwrap(v *fastjson.Value) *fastjson.Value {
	if payload := v.Get("payload"); dialect.IsObject(payload) && !v.Exists("type") {
		return payload
	}
	return v
}

// decoder reads one stream, which may have many sessions.
type decoder struct {
	model.Stream
	// sessions are the known sessions. The session of the latest frame is the last.
	sessions []*session
	// seen has the ids of messages and parts that are complete.
	seen    dialect.Recent
	eventID dialect.Last
	quoting []byte // buffer for an id
}

// Bounds of the state of a stream.
const (
	openSessions = 64
	idleSessions = 4
	seenIDs      = 256
)

func newDecoder(string) dialect.Decoder { return &decoder{} }

// Decode reads one line or event.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil || in.Direction == schema.Send || in.Transport == schema.HTTP {
		return
	}
	d.Begin(in, b)
	if v := unwrap(in.JSON); v != in.JSON {
		d.event(in, v, dialect.RawMember(in.Data, "payload"))
	} else if v.Exists("sessionID") || v.Exists("part") {
		d.line(in)
	} else {
		d.event(in, v, in.Data)
	}
	d.Done()
}

// End settles what is open.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	for _, t := range d.sessions {
		t.cutOff()
	}
	d.sessions = nil
	d.Done()
}

// session returns the session with an id, and moves it to the end of the list.
func (d *decoder) session(id []byte) *session {
	last := len(d.sessions) - 1
	for i := last; i >= 0; i-- {
		t := d.sessions[i]
		if t.conv.Session != string(id) {
			continue
		}
		copy(d.sessions[i:], d.sessions[i+1:])
		d.sessions[last] = t
		return t
	}
	if len(d.sessions) >= openSessions {
		d.sessions[0].cutOff()
		d.sessions = slices.Delete(d.sessions, 0, 1)
	}
	t := &session{decoder: d}
	t.conv = model.Conversation{Stream: &d.Stream, Session: string(id)}
	d.sessions = append(d.sessions, t)
	return t
}

// trim drops idle sessions, except the latest ones.
func (d *decoder) trim() {
	idle := 0
	for i := len(d.sessions) - 1; i >= 0; i-- {
		if d.sessions[i].conv.Run() != nil {
			continue
		}
		if idle++; idle > idleSessions {
			d.sessions = slices.Delete(d.sessions, i, i+1)
		}
	}
}

// note keeps an id, and reports whether it was known.
func (d *decoder) note(id []byte) bool { return d.seen.Note(id, seenIDs) }

// partKey returns a key for a part: its id, its type and its message, as parts of several types
// may have the same id. It returns nil for a part without an id.
func partKey(part *fastjson.Value) []byte {
	id := part.GetStringBytes("id")
	if len(id) == 0 {
		return nil
	}
	return bytes.Join([][]byte{part.GetStringBytes("type"), part.GetStringBytes("messageID"), id}, []byte{0})
}
