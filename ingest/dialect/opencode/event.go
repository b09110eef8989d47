package opencode

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// silent are the beginnings of the types of events that are known and conclude
// nothing: what the server, its terminals and its editors are up to. "sync"
// tells the other events once more.
var silent = []string{
	"server.", "file.", "lsp.", "installation.", "ide.", "tui.", "pty.", "mcp.", "command.", "project.", "vcs.",
	"todo.", "storage.", "worktree.", "workspace.", "global.", "sync",
}

// event reads an event of the server's bus. v is the event, data its text.
func (d *decoder) event(in *dialect.Input, v *fastjson.Value, data []byte) {
	in.Type = dialect.Intern(v.GetStringBytes("type"))
	in.EventID = d.eventID.Own(v.GetStringBytes("id"))
	p := v.Get("properties")
	if p == nil || p.Type() != fastjson.TypeObject {
		if !isSilent(in.Type) {
			d.Unknown()
		}
		return
	}
	id := sessionOf(p)
	switch in.Type {
	case "message.updated", "message.part.updated", "message.part.delta",
		"session.created", "session.updated", "session.idle", "session.status", "session.error",
		"permission.asked", "permission.updated", "permission.replied",
		"question.asked", "question.replied", "question.rejected":
		if id == nil {
			if in.Type != "session.error" || len(d.talks) == 0 {
				d.Unknown()
				return
			}
			id = []byte(d.talks[len(d.talks)-1].tr.Session)
		}
		t := d.talk(id)
		t.told(in.Type, p, data)
		t.tr.Address()
		return
	case "session.deleted", "session.diff", "session.compacted", "message.removed", "message.part.removed":
	default:
		if !isSilent(in.Type) {
			d.Unknown()
		}
	}
	in.Session = d.nameOf(id)
}

func isSilent(typ string) bool {
	for _, prefix := range silent {
		if strings.HasPrefix(typ, prefix) {
			return true
		}
	}
	return false
}

// sessionOf finds the session that an event is of.
func sessionOf(p *fastjson.Value) []byte {
	for _, path := range [...][]string{{"sessionID"}, {"part", "sessionID"}, {"info", "sessionID"}} {
		if id := p.GetStringBytes(path...); id != nil {
			return id
		}
	}
	if p.Exists("info", "role") {
		return nil
	}
	return p.GetStringBytes("info", "id") // of a session itself
}

// nameOf gives the name of a session for an envelope without following it.
func (d *decoder) nameOf(id []byte) string {
	for _, t := range d.talks {
		if t.tr.Session == string(id) {
			return t.tr.Session
		}
	}
	return string(id)
}

// told reads an event of this session: its properties, and its text.
func (t *talk) told(typ string, p *fastjson.Value, data []byte) {
	switch typ {
	case "message.updated":
		t.message(p.Get("info"), dialect.RawPath(data, "properties.info"))
	case "message.part.updated":
		t.part(p.Get("part"), dialect.RawPath(data, "properties.part"))
	case "message.part.delta":
		t.delta(p)
	case "session.created", "session.updated":
		if parent := p.GetStringBytes("info", "parentID"); parent != nil && t.parent == "" {
			t.parent = string(parent)
		}
	case "session.idle":
		t.idle()
	case "session.status":
		t.status(p.Get("status"), dialect.RawPath(data, "properties.status"))
	case "session.error":
		t.failed(p.Get("error"))
	case "permission.asked", "permission.updated", "question.asked":
		t.ask(p)
	case "permission.replied", "question.replied":
		t.answered(p, false)
	case "question.rejected":
		t.answered(p, true)
	}
}

// status reads what a session is about: idle, busy, or waiting to try again.
func (t *talk) status(v *fastjson.Value, raw []byte) {
	typ := v.GetStringBytes("type")
	if typ == nil {
		typ = v.GetStringBytes()
	}
	switch string(typ) {
	case "idle":
		t.idle()
	case "retry":
		why := v.GetStringBytes("message")
		if len(why) == 0 {
			return
		}
		m := t.tr.Say(schema.MessageError, why)
		var attrs dialect.Attributes
		attrs.AddRaw("attempt", dialect.RawMember(raw, "attempt"))
		m.Attributes = attrs.Text()
	}
}
