package ndjson

import "tapedeck/schema"

// headLimit bounds the beginning of an object that is searched for a conversation, bytes.
const headLimit = 4 << 10

// The member names at the beginning of a conversation file, as the Gemini CLI writes it: an object
// whose first two members precede the third, which is an array of objects.
const (
	memberSession  = "sessionId"
	memberProject  = "projectHash"
	memberMessages = "messages"
)

// headScanner searches for the first message of a conversation file. It reads the bytes while lines
// are split, and consumes none.
type headScanner struct {
	on      bool
	depth   int // number of open brackets, 0 before the object
	quoted  bool
	escaped bool
	value   bool // after the name of a member of the object
	session bool // the object has this member
	project bool
	taken   int // number of bytes of the object
	array   int // number of these bytes before the "[" of the messages, 0 before it has arrived
	length  int // length of the name, which may be longer than the part that is kept
	name    [len(memberProject)]byte
}

// find reads bytes up to the "{" of the first message and returns the index of the "{", -1 if it is
// not among them.
func (h *headScanner) find(p []byte) int {
	for i, b := range p {
		switch {
		case !h.on:
			return -1
		case h.array > 0 && b == '{':
			return i
		}
		h.step(b)
		if h.depth > 0 {
			h.taken++
		}
	}
	return -1
}

func (h *headScanner) step(b byte) {
	switch {
	case h.taken >= headLimit || h.array > 0 && !isBlankByte(b):
		h.on = false
	case h.quoted:
		h.inString(b)
	case b == '"':
		h.quoted, h.length = true, 0
	case b == '{' || b == '[':
		if h.depth == 1 && h.value && h.is(memberMessages) {
			h.array, h.on = h.taken, b == '[' && h.session && h.project
		}
		h.depth++
	case b == '}' || b == ']':
		h.depth--
		h.on = h.depth > 0
	case h.depth == 1 && b == ':':
		h.value = true
		h.session = h.session || h.is(memberSession)
		h.project = h.project || h.is(memberProject)
	case h.depth == 1 && b == ',':
		h.value = false
	case h.depth == 1 && isBlankByte(b) && h.is(memberMessages) && !(h.value && b == ' '):
		h.on = false // schema.Unframe reads a head that ends in the name, ":" and spaces
	}
}

func (h *headScanner) inString(b byte) {
	switch {
	case b == '\n': // JSON has no line end in a string
		h.on = false
	case h.escaped:
		h.escaped = false
	case b == '\\':
		h.escaped = true
	case b == '"':
		h.quoted = false
		return
	}
	if h.depth == 1 && !h.value {
		if h.length < len(h.name) {
			h.name[h.length] = b
		}
		h.length++
	}
}

// is reports whether the member that was read last has a name.
func (h *headScanner) is(name string) bool {
	return h.length == len(name) && string(h.name[:h.length]) == name
}

// opensConversation reports whether the first message of a conversation begins among the next bytes
// of a line, and at which index. All bytes of the object before the message are pending or among
// them.
func (c *Framer) opensConversation(part []byte) (int, bool) {
	if !c.head.on {
		return 0, false
	}
	i := c.head.find(part)
	return i, i >= 0 && !c.over && c.buf.Len()+i >= c.head.taken
}

// splitHead emits the beginning of a conversation, up to the array of its messages. before are the
// bytes before the first message.
func (c *Framer) splitHead(before []byte, emit func(*schema.Frame) error) error {
	c.buf.Append(before)
	bracket := c.head.taken - c.head.array
	c.mode, c.scan, c.member = inArray, scanner{}, true
	c.line, c.head, c.started = 0, headScanner{}, true
	return c.buf.EmitFirst(c.buf.Len()-bracket, 0, emit)
}

// arrayEnded sets the mode after an array.
func (c *Framer) arrayEnded() {
	c.mode = closing
	if c.member {
		c.mode, c.scan, c.member = inRest, scanner{depth: 1}, false
	}
}

// splitRest splits the bytes after the messages in a conversation's object.
func (c *Framer) splitRest(p []byte, emit func(*schema.Frame) error) (int, error) {
	part := p[:min(len(p), max(0, c.limit-c.buf.Len()))]
	n, ev := c.scan.next(part)
	switch {
	case ev == broken:
		c.buf.Append(part[:n])
		return n, c.toLines(emit)
	case ev == within && c.buf.Len()+n >= c.limit:
		return n, c.emit(part[:n], schema.FlagNote, emit)
	case ev == elementEnd:
		c.mode = closing
	}
	c.buf.Append(part[:n])
	return n, nil
}
