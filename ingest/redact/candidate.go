package redact

// candidate is a keyword that was found, with the text after it, while the rule's pattern may still
// match.
type candidate struct {
	rule    *rule
	channel uint64
	threads []thread
	text    []byte // the keyword and the text after it, up to maxText bytes
	n       int32  // number of bytes so far
	key     int32  // the length of the keyword, bytes

	matched  bool
	from, to int32 // range of the longest match so far
	whole    span  // range of the match if the text ends at the end of the latest frame; empty for none

	pieces []piece
	forced bool // the bytes so far were masked before the end of the secret was known
}

// piece is a contiguous range of a candidate's bytes in one frame.
type piece struct {
	rel, n   int32 // offset and length in the candidate's bytes
	frame    uint64
	from, to int // range in the frame's Raw
}

// maxText bounds the text of a candidate that is kept to compare secrets, bytes.
const maxText = 64 << 10

// begin opens a candidate for a keyword that ends at byte end of t. Part of the keyword may be in
// earlier frames.
func (m *Masker) begin(h hit, channel uint64, t *text, end int) *candidate {
	c := &candidate{rule: h.rule, channel: channel, key: int32(len(h.key)), n: int32(len(h.key))}
	c.text = append(c.text, h.key...)
	c.threads = m.machine.begin(h.rule.program, c.n)
	here := min(end, len(h.key))
	c.take(m, t, end-here, end, c.key-int32(here))
	return c
}

// take appends bytes [from, to) of t to the pieces. rel is the offset of the first of them in the
// candidate.
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

// advance feeds the bytes of t from the given offset on to the candidate's pattern. It reports
// whether the pattern may still match more text after the end of t.
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

// pause records the match that the candidate has if its text ends with the text of the current
// frame, since the next text at the same place may be a different text and not a continuation.
func (m *Masker) pause(c *candidate) {
	matched, from, to := c.matched, c.from, c.to
	m.close(c)
	if c.accepted() {
		c.whole = span{int(c.from), int(c.to)}
	}
	c.matched, c.from, c.to = matched, from, to
}

// found stores the match of the machine's last step, if there is one.
func (c *candidate) found(x *machine) {
	if !x.found {
		return
	}
	c.matched, c.from, c.to = true, x.from, x.to
	if !c.rule.grouped {
		c.from = 0
	}
}

// close feeds a line feed, which stands for the end of the text.
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

// partial returns the range that is masked if the pattern continues to match.
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

// holds returns the number of the first frame that must be held back while the candidate is open.
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
