// Package opencode reads what OpenCode tells of its sessions: the lines of
// "opencode run --format json", and the events of its server's /event and
// /global/event. docs/dialects/opencode.md says what is concluded from what.
package opencode

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is OpenCode's lines and events.
var Dialect = dialect.Dialect{Name: "opencode", Match: match, Time: timeOf, New: newDecoder}

// timeOf reads the time of a line, or of an event that tells one, ms.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	ms := in.JSON.GetUint64("timestamp")
	if ms == 0 {
		ms = unwrap(in.JSON).GetUint64("properties", "time")
	}
	return dialect.Milliseconds(ms)
}

// unwrap gives the event in a message of /global/event.
func unwrap(v *fastjson.Value) *fastjson.Value {
	if payload := v.Get("payload"); dialect.IsObject(payload) && !v.Exists("type") {
		return payload
	}
	return v
}

// decoder is the state of one stream, which may tell of many sessions.
type decoder struct {
	model.Stream
	// talks are the sessions that were heard of, that of the latest frame last.
	talks []*talk
	// seen are the ids of messages and parts that nothing more is to be concluded
	// from.
	seen    dialect.Recent
	eventID dialect.Last
	quoting []byte // room for an id
}

// Bounds of what is kept of a stream.
const (
	openTalks = 64
	idleTalks = 4
	seenIDs   = 128
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
	for _, t := range d.talks {
		t.cutOff()
	}
	d.talks = nil
	d.Done()
}

// talk gives the session with an id, which comes to stand last.
func (d *decoder) talk(id []byte) *talk {
	last := len(d.talks) - 1
	for i := last; i >= 0; i-- {
		t := d.talks[i]
		if t.tr.Session != string(id) {
			continue
		}
		copy(d.talks[i:], d.talks[i+1:])
		d.talks[last] = t
		return t
	}
	if len(d.talks) >= openTalks {
		d.talks[0].cutOff()
		d.talks = slices.Delete(d.talks, 0, 1)
	}
	t := &talk{decoder: d}
	t.tr = model.Conversation{Stream: &d.Stream, Session: string(id)}
	d.talks = append(d.talks, t)
	return t
}

// trim drops sessions that are idle, but for the latest ones.
func (d *decoder) trim() {
	idle := 0
	for i := len(d.talks) - 1; i >= 0; i-- {
		if d.talks[i].tr.Run() != nil {
			continue
		}
		if idle++; idle > idleTalks {
			d.talks = slices.Delete(d.talks, i, i+1)
		}
	}
}

// note remembers an id, and reports whether it was known before.
func (d *decoder) note(id []byte) bool { return d.seen.Note(id, seenIDs) }
