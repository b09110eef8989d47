package a2a

import (
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// reply reads a message that is the whole answer, or a message of a task.
func (d *decoder) reply(v *fastjson.Value, raw []byte) {
	id := v.GetStringBytes("taskId")
	t := d.of(id, v.GetStringBytes("contextId"))
	d.say(t, v, raw)
	if len(id) == 0 && t.Run() != nil {
		t.EndRun(schema.StatusOK, nil)
	}
}

// say records a message of the user or the agent. Tasks repeat their history: a message with a
// known id is not recorded again, and a message has the same id in every stream.
func (d *decoder) say(t *task, v *fastjson.Value, raw []byte) {
	kind := schema.MessageAssistant
	if strings.EqualFold(strings.TrimPrefix(string(v.GetStringBytes("role")), "ROLE_"), "user") {
		kind = schema.MessageUser
	}
	text, media, others := content(v.GetArray("parts"), dialect.RawMember(raw, "parts"))
	if len(text) == 0 && others == nil {
		return
	}
	id := t.ID(string(kind))
	if own := string(v.GetStringBytes("messageId")); own != "" {
		own = t.RunID + "." + own
		if d.said.Note([]byte(own), saidLimit) {
			return
		}
		if t.RunID != "" {
			id = string(kind) + ":" + own
		}
	}
	if kind == schema.MessageUser {
		t.Emitter.SetTitle(t.Session, text)
	} else {
		t.firstOutput()
	}
	m := t.SayAs(kind, id, text)
	m.Span, m.Media = t.span.ID, media
	var attrs dialect.Attributes
	attrs.AddRaw("parts", others)
	attrs.AddRaw("metadata", metadataOf(raw))
	m.Attributes = attrs.Text()
}

// firstOutput records that the agent has said something.
func (t *task) firstOutput() {
	if t.span.FirstToken == 0 && t.span.Started != 0 && t.Frame.At >= t.span.Started {
		t.span.FirstToken = t.Frame.At
		t.Emitter.ChangedSpan(t.span, t.Frame)
	}
}

// metadataOf returns an object's metadata as JSON, or nil.
func metadataOf(object []byte) []byte {
	metadata := dialect.RawMember(object, "metadata")
	if dialect.RawNull(metadata) || string(metadata) == "{}" || len(metadata) > metadataLimit {
		return nil
	}
	return metadata
}

// content returns the texts of parts, one a line, or the data of the only part. others lists the
// kinds of the other parts as a JSON array.
func content(parts []*fastjson.Value, raw []byte) (text []byte, media string, others []byte) {
	if len(parts) == 1 && parts[0].Get("data") != nil && parts[0].Get("text") == nil {
		dialect.RawElements(raw, func(part []byte) bool {
			text = dialect.RawMember(part, "data")
			return false
		})
		return text, "json", nil
	}
	var kinds dialect.List
	for _, part := range parts {
		if kind := partKind(part); kind != "text" && len(kinds) < otherParts {
			kinds.AddText([]byte(kind))
		}
	}
	return dialect.RawWords(raw), "text", kinds.JSON()
}

// otherParts bounds the list of a message's parts that are not text, bytes.
const otherParts = 256

// partKind returns the kind of a part: its member kind in version 0.3, the name of its only
// member in version 1.0.
func partKind(part *fastjson.Value) string {
	switch {
	case part.GetStringBytes("text") != nil:
		return "text"
	case part.Get("data") != nil:
		return "data"
	case part.Get("file") != nil, part.Get("url") != nil, part.Get("raw") != nil:
		return "file"
	}
	return dialect.Intern(part.GetStringBytes("kind"))
}
