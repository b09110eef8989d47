package ndjson

import (
	"bytes"

	"tapedeck/schema"
)

// continueValue processes the piece that was just added to a value on several lines. ends reports
// that the piece ended its line, full that the limit is reached.
func (c *Framer) continueValue(ends, full bool, emit func(*schema.Frame) error) error {
	line := c.buf.Pending()[c.line:]
	switch {
	case ends && isBrace(line, '}'):
		c.line = 0
		return c.emit(nil, 0, emit)
	case full:
		return c.splitValue(emit)
	case !ends:
		return nil
	case line[0] == ' ' || line[0] == '\t':
		c.line = c.buf.Len()
		return nil
	}
	return c.splitValue(emit)
}

// splitValue emits the lines before the current one as frames of their own. The current line is
// then handled like any other line.
func (c *Framer) splitValue(emit func(*schema.Frame) error) error {
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
		return nil // the value continues
	case len(line) < c.limit && isBrace(line, '{'):
		c.line = len(line)
		return nil
	}
	return c.emitFirst(len(line), emit)
}

// emitFirst emits the first n pending bytes, which are a line.
func (c *Framer) emitFirst(n int, emit func(*schema.Frame) error) error {
	var flags schema.Flags
	if c.isBlank(c.buf.Pending()[:n]) {
		flags = schema.FlagNote
	}
	c.started = true
	return c.buf.EmitFirst(n, flags, emit)
}
