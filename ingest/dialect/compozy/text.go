package compozy

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// structured is the key of the message that snapshots state.
var structured = []byte("structured")

// chunk reads an llm_chunk: a plain line, or {"component","sequence","content"}.
func (d *decoder) chunk(e *event) {
	d.resume()
	d.run.said = true
	if text, ok := e.chunkText(); ok {
		d.plain = false
		d.Append(schema.MessageAssistant, nil, text)
		d.spoken(text)
		return
	}
	line := e.data
	if m := d.Growing(schema.MessageAssistant, nil); m != nil && d.plain && !endsLine(m.TextSoFar()) {
		d.line = append(append(d.line[:0], '\n'), line...)
		line = d.line
	}
	d.plain = true
	d.Append(schema.MessageAssistant, nil, line)
	d.spoken(line)
	if cap(d.line) > 1<<10 {
		d.line = nil
	}
}

// spoken records output of a model. If calls of a model are not described, only the run's first
// output is known.
func (d *decoder) spoken(text []byte) {
	run := d.run.span
	if len(text) == 0 || d.run.called || run.FirstToken != 0 || run.Started == 0 {
		return
	}
	run.FirstToken = d.Frame.At
	d.Emitter.ChangedSpan(run, d.Frame)
}

func endsLine(text []byte) bool { return len(text) == 0 || text[len(text)-1] == '\n' }

// chunkText returns the text of a chunk that is JSON. A line that is an object is a plain line,
// unless it has the form that the server makes.
func (e *event) chunkText() ([]byte, bool) {
	if !e.isObject() {
		return nil, false
	}
	text := e.value.GetStringBytes("content")
	if text == nil {
		return nil, false
	}
	if o, _ := e.value.Object(); o.Len() == 1 {
		return text, true
	}
	for _, name := range []string{"component", "sequence", "ts"} {
		if e.value.Get(name) != nil {
			return text, true
		}
	}
	return nil, false
}

// snapshot reads a structured_delta, which has the whole output so far:
// {"sequence","content","complete"}, or {"partial":{…}}. If the same output came in chunks as well,
// the chunks make the reply.
func (d *decoder) snapshot(e *event) {
	content, media := e.content("content", "partial")
	if content == nil {
		d.Unknown()
		return
	}
	d.resume()
	if d.run.said {
		d.run.snapshot = xxhash.Sum64(content)
	}
	m := d.Growing(schema.MessageReply, structured)
	if m == nil {
		m = d.Growing(schema.MessageAssistant, structured)
	}
	if m == nil {
		kind := schema.MessageAssistant
		if d.run.said {
			kind = schema.MessageReply
		}
		m = d.BeginText(kind, structured)
		m.Span = d.run.span.ID // it grows across calls of the model
	}
	d.Emitter.SetText(m, content, d.Frame)
	if m.Media = media; wellformed.JSON(content) {
		m.Media = "json"
	}
	d.FirstToken()
	d.spoken(content)
	if dialect.RawTrue(dialect.RawMember(e.data, "complete")) {
		d.Complete(schema.MessageReply, structured)
		d.Complete(schema.MessageAssistant, structured)
	}
}

// resume records that the execution has not ended, although an end was stated.
func (d *decoder) resume() {
	d.inRun()
	d.run.ending = ""
}
