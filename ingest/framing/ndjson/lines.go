package ndjson

import (
	"bytes"

	"tapedeck/schema"
)

// goOn looks at the part that was just added to a value over several lines.
// ends says that the part ended its line, full that the limit is reached.
func (c *Framer) goOn(ends, full bool, emit func(*schema.Frame) error) error {
	line := c.buf.Pending()[c.line:]
	switch {
	case ends && isBrace(line, '}'):
		c.line = 0
		return c.emit(nil, 0, emit)
	case full:
		return c.giveUp(emit)
	case !ends:
		return nil
	case line[0] == ' ' || line[0] == '\t':
		c.line = c.buf.Len()
		return nil
	}
	return c.giveUp(emit)
}

// giveUp emits the lines before the current one one by one. The current one
// then stands as any other line.
func (c *Framer) giveUp(emit func(*schema.Frame) error) error {
	before := c.line
	c.line = 0
	for before > 0 {
		n := bytes.IndexByte(c.buf.Pending(), '\n') + 1
		if err := c.emitFirst(n, emit); err != nil {
			return err
		}
		before -= n
	}
	line := c.buf.Pending()
	switch {
	case len(line) == 0 || line[len(line)-1] != '\n':
		return nil // goes on
	case len(line) < c.limit && isBrace(line, '{'):
		c.line = len(line)
		return nil
	}
	return c.emitFirst(len(line), emit)
}

// emitFirst emits the first n of the bytes that wait, a line.
func (c *Framer) emitFirst(n int, emit func(*schema.Frame) error) error {
	var flags schema.Flags
	if c.isBlank(c.buf.Pending()[:n]) {
		flags = schema.FlagNote
	}
	c.started = true
	return c.buf.EmitFirst(n, flags, emit)
}
