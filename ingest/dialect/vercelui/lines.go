package vercelui

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// partNames are the parts of the data stream of version 4 by their letters.
var partNames = [256]string{
	'0': "text", '2': "data", '3': "error", '8': "message_annotations", '9': "tool_call", 'a': "tool_result",
	'b': "tool_call_streaming_start", 'c': "tool_call_delta", 'd': "finish_message", 'e': "finish_step",
	'f': "start_step", 'g': "reasoning", 'h': "source", 'i': "redacted_reasoning", 'j': "reasoning_signature",
	'k': "file",
}

// partOf reads a line of a data stream: a letter, a colon, JSON.
func partOf(line []byte) (letter byte, value []byte, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[1] != ':' || !wellformed.JSON(line[2:]) {
		return 0, nil, false
	}
	return line[0], bytes.TrimSpace(line[2:]), true
}

// lines puts a data stream's lines together where it comes in pieces, as it was
// read.
type lines struct {
	seen bool   // the answer is a data stream
	rest []byte // of a line that is not complete
	over bool   // the line is too long
}

const (
	lineLimit = 1 << 20 // of a line that comes in pieces, bytes
	restKept  = 1 << 10 // room that is kept between lines, bytes
)

// piece reads a piece of a body. What ends in it is told with it.
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

// end reads a last line that was not ended.
func (l *lines) end(d *decoder) {
	if len(l.rest) > 0 {
		d.line(l.rest)
	}
	l.rest = nil
}

// line reads a line of a data stream, and gives the part's name. Other text is
// left alone.
func (d *decoder) line(text []byte) (name string) {
	letter, value, ok := partOf(text)
	if !ok {
		return ""
	}
	if name = partNames[letter]; name == "" {
		d.Unknown()
		return string(letter)
	}
	d.lines.seen = true
	switch letter {
	case '0':
		d.saidLine(schema.MessageAssistant, value)
	case 'g':
		d.saidLine(schema.MessageThinking, value)
	case 'h', 'k':
		d.spoken()
	case '3':
		why, _ := dialect.Unquote(value, nil)
		d.failed(why)
	case '9', 'b', 'c':
		d.calledLine(letter, value)
	case 'a':
		d.resultLine(value)
	case 'f':
		switch id := textOf(value, "messageId"); {
		case d.run.failed:
			d.beginRun(id)
		case d.talk.RunID == "":
			d.started(id)
		}
		d.beginStep()
	case 'e':
		d.usedInStep(dialect.RawMember(value, "usage"))
		d.endStep()
	case 'd':
		d.inRun()
		d.usedInAll(dialect.RawMember(value, "usage"))
		d.finished(textOf(value, "finishReason"))
	}
	return name
}

func (d *decoder) saidLine(kind schema.MessageKind, value []byte) {
	text, _ := dialect.Unquote(value, nil)
	d.say(kind, nil, text)
}

// calledLine reads a tool call: its start, a piece of its arguments, all of it.
func (d *decoder) calledLine(letter byte, value []byte) {
	id := textOf(value, "toolCallId")
	if len(id) == 0 && letter == 'c' {
		return
	}
	one := d.call(id, textOf(value, "toolName"), letter == 'b')
	if one == nil {
		return
	}
	d.spoken()
	switch letter {
	case 'c':
		if delta := textOf(value, "argsTextDelta"); len(delta) > 0 {
			d.talk.AppendArguments(one.Tool, delta)
		}
	case '9':
		d.argued(one, dialect.RawMember(value, "args"))
	}
}

func (d *decoder) resultLine(value []byte) {
	id := textOf(value, "toolCallId")
	if len(id) == 0 || d.talk.Ended(id) {
		return
	}
	raw := dialect.RawMember(value, "result")
	result, media := content(raw)
	status, why := judge(raw)
	d.returned(id, result, media, status, why)
}

// textOf gives a text among an object's members.
func textOf(object []byte, name string) []byte {
	text, _ := dialect.Unquote(dialect.RawMember(object, name), nil)
	return text
}
