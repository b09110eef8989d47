// Package generic reads streams of unknown protocols: JSON of any form, and plain text. It reads
// members of a frame that have unambiguous names into the envelope, and derives no facts.
// docs/dialects/generic.md lists the names.
package generic

import "tapedeck/ingest/dialect"

// Dialect reads any stream whose protocol is not known.
var Dialect = dialect.Dialect{Name: "generic", Match: match, Time: timeOf, New: newDecoder}

// timeOf reads a time in RFC 3339 from an object. It reads no numbers, as their unit is not
// known.
func timeOf(in *dialect.Input) int64 {
	if in.JSON == nil {
		return 0
	}
	for _, name := range []string{"timestamp", "time", "ts"} {
		if at := dialect.TextTime(dialect.RawText(in.Data, name)); at != 0 {
			return at
		}
	}
	return 0
}

func match(in *dialect.Input) (dialect.Confidence, string) {
	if in.JSON == nil {
		return dialect.Possible, "text"
	}
	return dialect.Possible, "JSON"
}

// Kinds of members that are read. The first member of a kind counts.
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

// decoder keeps only the texts of the latest frame.
type decoder struct {
	typ, session, run dialect.Last
	sseEvent, sseID   dialect.Last
}

func newDecoder(string) dialect.Decoder { return &decoder{} }

// Decode fills in the envelope.
func (d *decoder) Decode(in *dialect.Input, _ *dialect.Emitter) {
	e := &in.Frame.Envelope
	e.Type = d.sseEvent.Own([]byte(in.Event))
	e.EventID = d.sseID.Own([]byte(in.ID))
	if in.JSON == nil {
		return
	}
	var texts [fieldCount][]byte
	members, ok := dialect.MembersOf(in.Data)
	for ok {
		var name, value []byte
		name, value, ok = members.Next()
		if f := fieldOf(name); f >= 0 && len(texts[f]) == 0 {
			texts[f], _ = dialect.Unquote(value, nil)
		}
	}
	if text := first(texts[typeField:sessionField]); len(text) > 0 {
		e.Type = d.typ.Own(text)
	}
	e.Session = d.session.Own(first(texts[sessionField:runField]))
	e.Run = d.run.Own(texts[runField])
}

// first returns the first non-empty text.
func first(texts [][]byte) []byte {
	for _, text := range texts {
		if len(text) > 0 {
			return text
		}
	}
	return nil
}

// ReadsText implements dialect.TextReader.
func (d *decoder) ReadsText() bool { return true }

// FactFree implements dialect.FactFree.
func (d *decoder) FactFree() {}

// End has nothing to settle.
func (d *decoder) End(int64, *dialect.Emitter) {}
