// Package generic reads streams whose protocol is not known: JSON of any shape
// and plain text. It reads off a frame what stands there under a name that
// leaves no doubt, and concludes nothing. docs/dialects/generic.md lists the
// names.
package generic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// Dialect fits every stream, and none well.
var Dialect = dialect.Dialect{Name: "generic", Match: match, New: newDecoder}

func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.Possible, "text"
	}
	return dialect.Possible, "JSON"
}

// What is read. Of two of a kind the first counts.
const (
	typeField = iota
	eventField
	kindField
	sessionField
	threadField
	conversationField
	runField
	fieldCount
)

func fieldOf(key []byte) int {
	switch string(key) {
	case "type":
		return typeField
	case "event":
		return eventField
	case "kind":
		return kindField
	case "session_id", "sessionId", "sessionID":
		return sessionField
	case "thread_id", "threadId", "threadID":
		return threadField
	case "conversation_id", "conversationId", "conversationID":
		return conversationField
	case "run_id", "runId", "runID":
		return runField
	}
	return -1
}

type decoder struct {
	texts             [fieldCount][]byte // of the present frame
	visit             func(key []byte, v *fastjson.Value)
	typ, session, run dialect.Last
	sseEvent, sseID   dialect.Last
}

func newDecoder(string) dialect.Decoder {
	d := &decoder{}
	d.visit = d.take
	return d
}

// take notes a member: the first text under each name.
func (d *decoder) take(key []byte, v *fastjson.Value) {
	if f := fieldOf(key); f >= 0 && d.texts[f] == nil {
		if text := v.GetStringBytes(); len(text) > 0 {
			d.texts[f] = text
		}
	}
}

// Decode fills in the envelope.
func (d *decoder) Decode(in *dialect.Input, _ *dialect.Book) {
	if in.Event != "" {
		in.Envelope.Type = d.sseEvent.Own([]byte(in.Event))
	}
	if in.ID != "" {
		in.EventID = d.sseID.Own([]byte(in.ID))
	}
	members := in.JSON.GetObject()
	if members == nil {
		return
	}
	members.Visit(d.visit)
	if text := first(d.texts[typeField:sessionField]); text != nil {
		in.Envelope.Type = d.typ.Own(text)
	}
	in.Session = d.session.Own(first(d.texts[sessionField:runField]))
	in.Run = d.run.Own(d.texts[runField])
	clear(d.texts[:])
}

func first(texts [][]byte) []byte {
	for _, text := range texts {
		if text != nil {
			return text
		}
	}
	return nil
}

// End has nothing to settle.
func (d *decoder) End(int64, *dialect.Book) {}
