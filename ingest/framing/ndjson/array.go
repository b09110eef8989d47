package ndjson

import (
	"bytes"

	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// mode is what the framer expects of the next bytes.
type mode uint8

const (
	atStart mode = iota // no line with content has arrived: an array may begin
	opening             // "[" and white space have arrived: "{" makes it an array of events
	probing             // an array on one line: a line of its own, or the stream's events
	inArray             // elements are frames
	inRest              // the "]" of a conversation's messages has arrived: the rest of the object follows
	closing             // the "]" or the object's end has arrived: the rest of its line belongs to it
	inLines             // lines are frames
)

// probeLimit bounds the bytes of an array on one line that are kept until it is known whether other
// lines follow the array. A longer array is an array of events. The limit equals the number of
// reads whose times the buffer keeps, so that each element has its own time.
const probeLimit = framing.MaxCuts

const (
	blanks    = " \t\r\n"
	orderMark = "\xef\xbb\xbf"
)

// splitStart splits bytes of a stream, or bytes after an array, when all bytes before were white
// space. It returns how many bytes it consumed.
func (c *Framer) splitStart(p []byte, emit func(*schema.Frame) error) (int, error) {
	line := p
	if i := bytes.IndexByte(p, '\n'); i >= 0 {
		line = p[:i+1]
	}
	first := c.firstNonBlank(line)
	switch {
	case first == len(line):
		n := min(first, c.limit-c.buf.Len())
		err := c.take(line[:n], n > 0 && line[n-1] == '\n', emit)
		if c.over {
			c.mode = inLines
		}
		return n, err
	case line[first] == '[' && !c.over && c.buf.Len()+first+1 < c.probeLimit():
		c.buf.Append(line[:first+1])
		c.mode = opening
		return first + 1, nil
	}
	c.mode = inLines
	c.head.on = line[first] == '{'
	return 0, nil
}

// firstNonBlank returns the index of the first byte that is neither white space nor part of the
// stream's byte order mark, len(p) for none.
func (c *Framer) firstNonBlank(p []byte) int {
	for i, b := range p {
		if at := c.buf.Len() + i; !c.started && at < len(orderMark) && b == orderMark[at] {
			continue
		}
		if !isBlankByte(b) {
			return i
		}
	}
	return len(p)
}

func (c *Framer) probeLimit() int { return min(c.limit, probeLimit) }

// splitOpening splits the bytes after "[".
func (c *Framer) splitOpening(p []byte, emit func(*schema.Frame) error) (int, error) {
	n := len(p) - len(bytes.TrimLeft(p, blanks))
	n = min(n, c.probeLimit()-c.buf.Len())
	c.buf.Append(p[:n])
	switch {
	case c.buf.Len() >= c.probeLimit():
		return n, c.toLines(emit)
	case n == len(p):
		return n, nil
	case p[n] != '{':
		return n, c.toLines(emit)
	}
	c.mode, c.scan = probing, scanner{}
	if bytes.IndexByte(c.buf.Pending(), '\n') >= 0 {
		c.mode = inArray
	}
	return n, nil
}

// splitProbing splits bytes of an array on one line. If there is a line end inside the array, it is
// an array of events that is printed on several lines. If the array ends with its line and
// something other than white space follows, the lines are the messages.
func (c *Framer) splitProbing(p []byte, emit func(*schema.Frame) error) (int, error) {
	for i, b := range p[:min(len(p), c.probeLimit()-c.buf.Len())] {
		switch {
		case c.scan.closed && !isBlankByte(b):
			c.buf.Append(p[:i])
			return i, c.toLines(emit)
		case c.scan.closed:
			continue
		case b == '\n':
			c.buf.Append(p[:i])
			return i, c.toArray(emit)
		}
		ev := c.scan.step(b)
		if ev == numberEnd {
			ev = c.scan.step(b)
		}
		if ev == broken {
			c.buf.Append(p[:i])
			return i, c.toLines(emit)
		}
	}
	n := min(len(p), c.probeLimit()-c.buf.Len())
	c.buf.Append(p[:n])
	if c.buf.Len() >= c.probeLimit() {
		return n, c.toArray(emit)
	}
	return n, nil
}

// toLines makes lines of the pending bytes, which are not an array of events.
func (c *Framer) toLines(emit func(*schema.Frame) error) error {
	c.mode = inLines
	for {
		n := bytes.IndexByte(c.buf.Pending(), '\n') + 1
		if n == 0 {
			return nil
		}
		if err := c.emitFirst(n, emit); err != nil {
			return err
		}
	}
}

// toArray makes frames of the elements in the pending bytes, which begin an array of events.
func (c *Framer) toArray(emit func(*schema.Frame) error) error {
	c.mode, c.scan = inArray, scanner{}
	at := bytes.IndexByte(c.buf.Pending(), '[') + 1
	for at < c.buf.Len() {
		n, ev := c.scan.next(c.buf.Pending()[at:])
		switch at += n; ev {
		case elementEnd:
			c.started = true
			if err := c.buf.EmitFirst(at, 0, emit); err != nil {
				return err
			}
			at = 0
		case arrayEnd:
			c.mode = closing
			return nil // only white space follows
		case broken:
			return c.toLines(emit)
		case within, numberEnd:
		}
	}
	return nil
}

// splitArray splits bytes of an array of events. A frame is an element with the bytes between it
// and the previous element.
func (c *Framer) splitArray(p []byte, emit func(*schema.Frame) error) (int, error) {
	part := p[:min(len(p), c.limit-c.buf.Len())]
	n, ev := c.scan.next(part)
	switch ev {
	case elementEnd:
		var flags schema.Flags
		if c.over {
			flags, c.over = schema.FlagOversize, false
		}
		return n, c.emit(part[:n], flags, emit)
	case arrayEnd:
		c.buf.Append(part[:n])
		c.arrayEnded()
		return n, nil
	case broken:
		c.buf.Append(part[:n])
		if c.over {
			c.mode = inLines
			return n, nil
		}
		return n, c.toLines(emit)
	}
	switch full := c.buf.Len()+n >= c.limit; {
	case !full:
		c.buf.Append(part[:n])
		return n, nil
	case c.scan.between():
		return n, c.emit(part[:n], schema.FlagNote, emit)
	}
	c.over = true
	return n, c.emit(part[:n], schema.FlagOversize, emit)
}

// splitClosing splits the bytes after the end of an array on its line.
func (c *Framer) splitClosing(p []byte, emit func(*schema.Frame) error) (int, error) {
	n := len(p) - len(bytes.TrimLeft(p, " \t\r"))
	ends := n < len(p)
	next := inLines
	if ends && p[n] == '\n' {
		n++
		next = atStart
	}
	if room := max(0, c.limit-c.buf.Len()); n >= room {
		n, ends, next = room, true, atStart
	}
	if !ends {
		c.buf.Append(p[:n])
		return n, nil
	}
	c.mode = next
	return n, c.emit(p[:n], schema.FlagNote, emit)
}

// endArray processes the pending bytes of an array at the end of the stream. It returns the flags
// of the remaining bytes.
func (c *Framer) endArray(emit func(*schema.Frame) error) (flags schema.Flags, err error) {
	switch c.mode {
	case opening:
		err = c.toLines(emit)
	case probing:
		err = c.toArray(emit)
	}
	switch {
	case err != nil:
	case c.mode == closing || c.mode == inRest || c.mode == inArray && c.scan.between():
		flags = schema.FlagNote
	case c.mode == inArray:
		flags = schema.FlagUnterminated
	}
	return flags, err
}
