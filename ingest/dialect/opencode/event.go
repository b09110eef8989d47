package opencode

import (
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// handler reads an event's properties, parsed and as JSON.
type handler func(t *session, p *fastjson.Value, raw []byte)

// events maps types of events with facts to handlers.
var events = map[string]handler{
	"message.updated":      inParts((*session).messageUpdated),
	"message.part.updated": inParts((*session).partUpdated),
	"message.part.delta":   (*session).delta,
	"session.created":      (*session).updated,
	"session.updated":      (*session).updated,
	"session.idle":         (*session).idle,
	"session.status":       (*session).status,
	"session.error":        (*session).error,
	"permission.asked":     (*session).ask,
	"permission.updated":   (*session).ask,
	"permission.replied":   (*session).replied,
	"question.asked":       (*session).ask,
	"question.replied":     (*session).replied,
	"question.rejected":    (*session).rejected,
}

// noted has the types that only name their session.
var noted = []string{"session.deleted", "session.diff", "session.compacted", "message.removed", "message.part.removed"}

// silent has the prefixes of types of events that are known and ignored: events of the server, its
// terminals and its editors. "sync" repeats the other events.
var silent = []string{
	"server.", "file.", "lsp.", "installation.", "ide.", "tui.", "pty.", "mcp.", "command.", "project.", "vcs.",
	"todo.", "storage.", "worktree.", "workspace.", "global.", "sync",
}

// event reads an event of the server's bus. v is the event, data its JSON.
func (d *decoder) event(in *dialect.Input, v *fastjson.Value, data []byte) {
	in.Type = dialect.Intern(v.GetStringBytes("type"))
	in.EventID = d.eventID.Own(v.GetStringBytes("id"))
	p, member := content(v)
	if p == nil {
		if !isSilent(in.Type) {
			d.Unknown()
		}
		return
	}
	id := sessionOf(p)
	if read, known := handlerOf(in.Type); known {
		if id == nil {
			if in.Type != "session.error" || len(d.sessions) == 0 {
				d.Unknown()
				return
			}
			id = []byte(d.sessions[len(d.sessions)-1].conv.Session)
		}
		t := d.session(id)
		read(t, p, dialect.RawMember(data, member))
		t.conv.Address()
		return
	}
	if !slices.Contains(noted, in.Type) && !isSilent(in.Type) && !isStepNoted(in.Type, member) {
		d.Unknown()
	}
	in.Session = d.nameOf(id)
}

// content returns the properties of an event, and the name of the member that has them. It returns
// nil if there are none.
func content(v *fastjson.Value) (p *fastjson.Value, member string) {
	for _, member := range [...]string{"properties", "data"} {
		if p := v.Get(member); dialect.IsObject(p) {
			return p, member
		}
	}
	return nil, ""
}

// handlerOf returns the handler of a type of event.
func handlerOf(typ string) (read handler, known bool) {
	if read, known = events[typ]; !known {
		read, known = stepEvents[stepType(typ)]
	}
	return read, known
}

func isSilent(typ string) bool {
	for _, prefix := range silent {
		if strings.HasPrefix(typ, prefix) {
			return true
		}
	}
	return false
}

// sessionOf returns the session of an event.
func sessionOf(p *fastjson.Value) []byte {
	for _, path := range [...][]string{{"sessionID"}, {"part", "sessionID"}, {"info", "sessionID"}} {
		if id := p.GetStringBytes(path...); id != nil {
			return id
		}
	}
	if p.Exists("info", "role") {
		return nil
	}
	return p.GetStringBytes("info", "id") // the event is about a session itself
}

// nameOf returns the id of a session for an envelope, without keeping the session.
func (d *decoder) nameOf(id []byte) string {
	for _, t := range d.sessions {
		if t.conv.Session == string(id) {
			return t.conv.Session
		}
	}
	return string(id)
}

func (t *session) messageUpdated(p *fastjson.Value, raw []byte) {
	t.message(p.Get("info"), dialect.RawMember(raw, "info"))
}

func (t *session) partUpdated(p *fastjson.Value, raw []byte) {
	t.part(p.Get("part"), dialect.RawMember(raw, "part"))
}

func (t *session) updated(p *fastjson.Value, _ []byte) {
	parent := p.GetStringBytes("info", "parentID")
	if parent == nil {
		parent = p.GetStringBytes("parentID")
	}
	if parent != nil && t.parent == "" {
		t.parent = string(parent)
	}
}

func (t *session) error(p *fastjson.Value, _ []byte) { t.failed(p.Get("error")) }

// status reads the status of a session: idle, busy, or waiting for a retry.
func (t *session) status(p *fastjson.Value, raw []byte) {
	v, raw := p.Get("status"), dialect.RawMember(raw, "status")
	typ := v.GetStringBytes("type")
	if typ == nil {
		typ = v.GetStringBytes()
	}
	switch string(typ) {
	case "idle":
		t.idle(nil, nil)
	case "retry":
		why := v.GetStringBytes("message")
		if len(why) == 0 {
			return
		}
		t.conv.Say(schema.MessageError, why).Attributes = dialect.Attribute("attempt", dialect.RawMember(raw, "attempt"))
	}
}
