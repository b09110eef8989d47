package redact

// candidate is a keyword that was found, with what has arrived behind it while its pattern
// may still match.
type candidate struct {
	rule    *rule
	channel uint64
	threads []thread
	text    []byte // the keyword and what followed, up to maxText
	n       int32  // bytes so far
	key     int32  // the length of the keyword

	matched  bool
	from, to int32 // of the longest match so far
	whole    span  // of the match that there is if the text ends where a frame ended; no bytes for none

	pieces []piece
	forced bool // what came so far was masked before the end was known
}

// piece is a run of a candidate's bytes in one frame.
type piece struct {
	rel, n   int32 // which of the candidate's bytes
	frame    uint64
	from, to int // in the frame's Raw
}

// maxText bounds what is kept of a candidate to compare secrets, bytes.
const maxText = 64 << 10

// begin opens a candidate at a keyword that ends at byte end of t. A part of the keyword
// may be in earlier frames.
func (m *Masker) begin(h hit, channel uint64, t *text, end int) *candidate {
	c := &candidate{rule: h.rule, channel: channel, key: int32(len(h.key)), n: int32(len(h.key))}
	c.text = append(c.text, h.key...)
	c.threads = m.machine.begin(h.rule.program, c.n)
	here := min(end, len(h.key))
	c.take(m, t, end-here, end, c.key-int32(here))
	return c
}

// take adds bytes [from, to) of t, the first of which is number rel, to the pieces.
func (c *candidate) take(m *Masker, t *text, from, to int, rel int32) {
	if t.ends == nil {
		if to > from {
			c.pieces = append(c.pieces, piece{rel, int32(to - from), m.frame, t.base + from, t.base + to})
		}
		return
	}
	for i := from; i < to; i++ {
		a, b := t.at(i, i+1)
		c.pieces = append(c.pieces, piece{rel + int32(i-from), 1, m.frame, a, b})
	}
}

// advance feeds what follows in t from a byte on. It reports whether the pattern may still
// go on behind the end of t.
func (m *Masker) advance(c *candidate, t *text, from int) bool {
	rel, i := c.n, from
	for ; i < len(t.bytes) && len(c.threads) > 0; i++ {
		c.threads = m.machine.feed(c.rule.program, c.threads, t.bytes[i], c.n)
		c.n++
		c.found(&m.machine)
	}
	if len(c.text) < maxText {
		c.text = append(c.text, t.bytes[from:min(i, from+maxText-len(c.text))]...)
	}
	c.take(m, t, from, i, rel)
	if len(c.threads) == 0 {
		return false
	}
	m.pause(c)
	return true
}

// pause records the match that a candidate has if its text ends with that of the frame at hand: the next
// text at the same place may be another one, which does not continue it.
func (m *Masker) pause(c *candidate) {
	matched, from, to := c.matched, c.from, c.to
	m.close(c)
	if c.accepted() {
		c.whole = span{int(c.from), int(c.to)}
	}
	c.matched, c.from, c.to = matched, from, to
}

// found takes over a match of the last step.
func (c *candidate) found(x *machine) {
	if !x.found {
		return
	}
	c.matched, c.from, c.to = true, x.from, x.to
	if !c.rule.grouped {
		c.from = 0
	}
}

// close feeds the end of the text, of which no pattern has a byte.
func (m *Masker) close(c *candidate) {
	threads := append([]thread(nil), c.threads...)
	m.machine.feed(c.rule.program, threads, '\n', c.n)
	c.found(&m.machine)
}

// accepted reports whether the match is a secret.
func (c *candidate) accepted() bool {
	switch {
	case !c.matched:
		return false
	case int(c.to) > len(c.text):
		return true
	case c.rule.Judge != nil && !c.rule.Judge(c.text, int(c.key), int(c.from), int(c.to)):
		return false
	}
	return c.rule.Check == nil || c.rule.Check(c.text[c.from:c.to])
}

// partial returns the range that is a secret if the pattern goes on to match.
func (c *candidate) partial() (from, to int32) {
	from = 0
	if c.rule.grouped {
		from = c.n
		for _, t := range c.threads {
			if t.from >= 0 {
				from = min(from, t.from)
			}
		}
	}
	return from, c.n
}

// holds returns the first frame that must not pass on while the candidate is open.
func (c *candidate) holds() (frame uint64, ok bool) {
	if c.forced {
		return 0, false
	}
	public := c.key
	switch {
	case c.rule.declared != "":
		public = 0
	case c.rule.grouped:
		if public, _ = c.partial(); c.matched {
			public = min(public, c.from)
		}
		if c.whole.to > 0 {
			public = min(public, int32(c.whole.from))
		}
	}
	for _, p := range c.pieces {
		if p.rel+p.n > public {
			return p.frame, true
		}
	}
	return 0, false
}
