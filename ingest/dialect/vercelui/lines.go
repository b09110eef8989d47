package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// part describes a kind of line of the data stream of version 4. The value of a line must begin
// with the byte opens and have the member; sure is the confidence in such a line.
type part struct {
	name   string
	read   func(d *decoder, value []byte)
	sure   dialect.Confidence
	opens  byte
	member string
}

// parts has the kinds of lines by their letters. An init function fills it, as handlers look it
// up.
var parts [256]part

func init() {
	for letter, p := range map[byte]part{
		'0': {"text", saysLine(schema.MessageAssistant), dialect.Likely, '"', ""},
		'g': {"reasoning", saysLine(schema.MessageThinking), dialect.Likely, '"', ""},
		'3': {"error", (*decoder).errorLine, dialect.Likely, '"', ""},
		'b': {"tool_call_streaming_start", (*decoder).callStartLine, dialect.Certain, 0, "toolCallId"},
		'c': {"tool_call_delta", (*decoder).callDeltaLine, dialect.Certain, 0, "toolCallId"},
		'9': {"tool_call", (*decoder).callLine, dialect.Certain, 0, "toolCallId"},
		'a': {"tool_result", (*decoder).resultLine, dialect.Certain, 0, "toolCallId"},
		'f': {"start_step", (*decoder).startStepLine, dialect.Certain, 0, "messageId"},
		'e': {"finish_step", (*decoder).finishStepLine, dialect.Certain, 0, "finishReason"},
		'd': {"finish_message", (*decoder).finishLine, dialect.Certain, 0, "finishReason"},
		'h': {"source", (*decoder).otherLine, dialect.Possible, 0, ""},
		'k': {"file", (*decoder).otherLine, dialect.Possible, 0, ""},
		'2': {"data", nil, dialect.Possible, '[', ""},
		'8': {"message_annotations", nil, dialect.Possible, '[', ""},
		'i': {"redacted_reasoning", nil, dialect.Possible, 0, ""},
		'j': {"reasoning_signature", nil, dialect.Possible, 0, ""},
	} {
		parts[letter] = p
	}
}

// partOf reads a line of a data stream: a letter, a colon, JSON.
func partOf(line []byte) (letter byte, value []byte, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[1] != ':' || !wellformed.JSON(line[2:]) {
		return 0, nil, false
	}
	return line[0], bytes.TrimSpace(line[2:]), true
}

// lines assembles the lines of a data stream that comes in pieces.
type lines struct {
	seen bool   // the answer is a data stream
	rest []byte // the incomplete last line
	over bool   // the line is too long and skipped
}

const (
	lineLimit = 1 << 20 // of a line that comes in pieces, bytes
	restKept  = 1 << 10 // buffer that is kept between lines, bytes
)

// piece reads a piece of a body. Lines that end in it belong to its frame.
func (d *decoder) piece(data []byte) {
	l := &d.lines
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			l.add(data)
			return
		}
		line := data[:n]
		if len(l.rest) > 0 || l.over {
			l.add(line)
			line = l.rest
		}
		if typ := d.line(line); d.Frame.Type == "" {
			d.Frame.Type = typ
		}
		l.clear()
		data = data[n+1:]
	}
}

func (l *lines) add(data []byte) {
	if l.over = l.over || len(l.rest)+len(data) > lineLimit; l.over {
		l.rest = nil
		return
	}
	l.rest = append(l.rest, data...)
}

func (l *lines) clear() {
	l.rest, l.over = l.rest[:0], false
	if cap(l.rest) > restKept {
		l.rest = nil
	}
}

// end reads a last line without a line end.
func (l *lines) end(d *decoder) {
	if len(l.rest) > 0 {
		d.line(l.rest)
	}
	l.rest = nil
}

// line reads a line of a data stream and returns the name of the part. It ignores other text.
func (d *decoder) line(text []byte) (name string) {
	letter, value, ok := partOf(text)
	if !ok {
		return ""
	}
	p := &parts[letter]
	if p.name == "" {
		d.Unknown()
		return string(letter)
	}
	d.lines.seen = true
	if p.read != nil {
		p.read(d, value)
	}
	return p.name
}

func saysLine(kind schema.MessageKind) func(*decoder, []byte) {
	return func(d *decoder, value []byte) {
		text, _ := dialect.Unquote(value, nil)
		d.say(kind, nil, text)
	}
}

func (d *decoder) otherLine([]byte) { d.spoken() }

func (d *decoder) errorLine(value []byte) {
	why, _ := dialect.Unquote(value, nil)
	d.failed(why)
}

func (d *decoder) startStepLine(value []byte) {
	switch id := dialect.RawText(value, "messageId"); {
	case d.run.failed:
		d.beginRun(id)
	case d.RunID == "":
		d.beginMessage(id)
	}
	d.beginStep()
}

func (d *decoder) finishStepLine(value []byte) {
	d.usageOfStep(dialect.RawMember(value, "usage"))
	d.endStep()
}

func (d *decoder) finishLine(value []byte) {
	d.inRun()
	d.usageOfAll(dialect.RawMember(value, "usage"))
	d.finish(dialect.RawText(value, "finishReason"))
}

func (d *decoder) callStartLine(value []byte) { d.lineCall(value, true) }

// lineCall returns the call of a line, or nil for one that has ended.
func (d *decoder) lineCall(value []byte, begins bool) *call {
	one := d.call(dialect.RawText(value, "toolCallId"), dialect.RawText(value, "toolName"), begins)
	if one != nil {
		d.spoken()
	}
	return one
}

func (d *decoder) callDeltaLine(value []byte) {
	if len(dialect.RawText(value, "toolCallId")) == 0 {
		return
	}
	if one := d.lineCall(value, false); one != nil {
		if delta := dialect.RawText(value, "argsTextDelta"); len(delta) > 0 {
			d.AppendArguments(one.Tool, delta)
		}
	}
}

func (d *decoder) callLine(value []byte) {
	if one := d.lineCall(value, false); one != nil {
		d.inputReady(one, dialect.RawMember(value, "args"))
	}
}

func (d *decoder) resultLine(value []byte) {
	id := dialect.RawText(value, "toolCallId")
	if len(id) > 0 && !d.Ended(id) {
		d.returned(id, outputOf(dialect.RawMember(value, "result")))
	}
}
