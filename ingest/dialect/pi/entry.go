package pi

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// kept is the head of a file.
type kept struct {
	parent string // the session from which it was branched
	begun  int64  // when the session began, ns
}

// seenKept bounds the entries and messages that are recognised when they come again.
const seenKept = 256

// head reads the first line of a file, or of pi's output.
func (d *decoder) head(l *line) {
	id := l.text("id")
	if len(id) == 0 {
		d.Unknown()
		return
	}
	if d.tr.Session == string(id) {
		return
	}
	d.tr.Abandon()
	d.begin(d.session.Own(id))
	d.kept = kept{parent: sessionOf(dialect.FirstText(l.v, "parentSession", "branchedFrom")), begun: dialect.TextTime(l.text("timestamp"))}
	if name := l.text("modelId"); len(name) > 0 {
		d.setModel(name, l.text("provider"))
	}
}

// sessionOf returns the session in the path of its file, <time>_<id>.jsonl.
func sessionOf(path []byte) string {
	path = path[bytes.LastIndexAny(path, `/\`)+1:]
	return string(bytes.TrimSuffix(path[bytes.LastIndexByte(path, '_')+1:], []byte(".jsonl")))
}

// entry makes a handler that reads each entry once. The file of a branched session begins with
// the entries of the original session, where they are recorded.
func entry(handle func(*decoder, *line)) func(*decoder, *line) {
	return func(d *decoder, l *line) {
		copied := d.kept.parent != "" && timeOf(l.Input) < d.kept.begun
		id := l.text("id")
		if len(id) == 0 {
			id = l.raw
		}
		if known := d.seen.Note(id, seenKept); !known && !copied {
			handle(d, l)
		}
	}
}

// keptMessage reads a message of a file. Files do not mark runs: a run lasts from the user's
// message to the model's last answer.
func (d *decoder) keptMessage(l *line) {
	d.tr.Whole = true
	if isInserted(l) {
		d.inserted(l)
		return
	}
	switch string(l.text("role")) {
	case "user":
		if len(d.tr.OpenTools()) > 0 {
			d.tr.Abandon() // it was cut off
		}
		d.message(l)
	case "assistant":
		d.inRun()
		d.beginAnswer(l)
		d.message(l)
		if d.outcome.status != schema.StatusOK || len(d.tr.OpenTools()) == 0 {
			d.endRun()
		}
	default:
		d.message(l)
	}
}

func (d *decoder) modelChange(l *line) { d.setModel(l.text("modelId"), l.text("provider")) }

// summary reads a summary that replaces the conversation so far. A model may have been called for
// it.
func (d *decoder) summary(l *line, attribute string) {
	if text := l.text("summary"); len(text) > 0 {
		d.tr.Say(schema.MessageSystem, text).Attributes = `{"` + attribute + `":true}`
		d.countOnce("summary:", text, dialect.RawMember(l.raw, "usage"))
	}
}

// compacted is summary for the event that reports it.
func (d *decoder) compacted(l *line) {
	if why := l.text("errorMessage"); len(why) > 0 {
		d.tr.Say(schema.MessageError, why)
	}
	if l.v, l.raw = l.v.Get("result"), dialect.RawMember(l.raw, "result"); l.v != nil {
		d.summary(l, "compacted")
	}
}
