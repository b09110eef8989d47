package redact

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"tapedeck/schema"
)

// Masker masks the secrets of one stream. It serves one goroutine.
type Masker struct {
	engine  *Engine
	machine machine
	walker  walker
	layout  layout
	buf     []byte  // of decoded texts
	ends    []int32 // likewise

	states  states // by channel
	open    []*candidate
	frame   uint64 // the number of the frame at hand
	edits   []edit // of the frame at hand
	held    []heldFrame
	bytes   int       // of held
	since   time.Time // when the first of held came
	numbers map[string]int
	last    map[string]int // the last number of each rule
	counts  map[string]uint64
	report  func(*schema.Frame, Found)
}

// heldFrame is a copy of a frame, with what is known to be masked in it.
type heldFrame struct {
	schema.Frame
	edits []edit
	wrapped
}

// Bounds on what a Masker holds back.
const (
	HoldFor    = 3 * time.Second
	holdFrames = 1024
	holdBytes  = 1 << 20
	// openLimit bounds the candidates of a stream, stateLimit the texts that are followed.
	openLimit  = 256
	stateLimit = 4096
)

// NewMasker returns the masker of a stream.
func (e *Engine) NewMasker() *Masker {
	return &Masker{engine: e, numbers: map[string]int{}, last: map[string]int{}, counts: map[string]uint64{}}
}

// Counts returns how many secrets were masked, by rule.
func (m *Masker) Counts() map[string]uint64 { return m.counts }

// Found is a secret that was masked.
type Found struct {
	Rule        string `json:"rule"`
	Placeholder string `json:"placeholder"`
	Offset      int    `json:"offset"` // in the frame's bytes before masking
	Length      int    `json:"length"` // of the part of the secret in that frame
}

// Report has f called for each secret, with the frame that it begins in, before the frame
// passes on.
func (m *Masker) Report(f func(*schema.Frame, Found)) { m.report = f }

// Resume begins the numbers of secrets after the highest one in bytes that were masked before.
func (m *Masker) Resume(raw []byte) {
	for rule, number := range masks(raw) {
		m.last[rule] = max(m.last[rule], number)
	}
}

// Push takes the next frame and calls pass for all frames that can have no more secrets, in
// order. f is valid during the call; it is not changed but for what is masked in it.
func (m *Masker) Push(f *schema.Frame, pass func(*schema.Frame)) {
	if f.Transport == schema.NATS || f.Transport == schema.EventStream {
		m.push(f, m.unwrap(f), pass)
		return
	}
	m.push(f, wrapped{}, pass)
}

func (m *Masker) push(f *schema.Frame, w wrapped, pass func(*schema.Frame)) {
	m.scan(f)
	if len(m.open) == 0 && len(m.held) == 0 && len(m.edits) == 0 && w.raw == nil { // nearly all frames
		m.frame++
		pass(f)
		return
	}
	first, holds := m.first()
	if !holds && len(m.held) == 0 {
		m.apply(f, m.edits)
		w.rewrap(f, len(m.edits) > 0)
		m.next()
		pass(f)
		return
	}
	if len(m.held) == 0 {
		m.since = time.Now()
	}
	h := heldFrame{*f, slices.Clone(m.edits), w.clone()}
	h.Raw, h.Cuts = bytes.Clone(f.Raw), slices.Clone(f.Cuts)
	m.held = append(m.held, h)
	m.bytes += len(f.Raw)
	m.next()
	if !holds {
		first = m.frame
	}
	m.release(first, pass)
	if len(m.held) > holdFrames || m.bytes > holdBytes {
		m.Release(pass)
	}
}

func (m *Masker) next() {
	m.frame++
	m.edits = m.edits[:0]
}

// first returns the first frame that has to be held back.
func (m *Masker) first() (first uint64, holds bool) {
	for _, c := range m.open {
		if frame, ok := c.holds(); ok && (!holds || frame < first) {
			first, holds = frame, true
		}
	}
	return first, holds
}

// release passes the held frames below first on.
func (m *Masker) release(first uint64, pass func(*schema.Frame)) {
	for len(m.held) > 0 && m.frame-uint64(len(m.held)) < first {
		h := &m.held[0]
		m.bytes -= len(h.Raw)
		m.apply(&h.Frame, h.edits)
		h.rewrap(&h.Frame, len(h.edits) > 0)
		f := h.Frame
		m.held[0] = heldFrame{}
		m.held = m.held[1:]
		m.since = time.Now()
		pass(&f)
	}
	if len(m.held) == 0 {
		m.held = nil
	}
}

// Holds reports whether frames are held back.
func (m *Masker) Holds() bool { return len(m.held) > 0 }

// Expired reports whether frames were held back for as long as they may.
func (m *Masker) Expired() bool { return m.Holds() && time.Since(m.since) >= HoldFor }

// Release passes all held frames on. What may be the beginning of a secret is masked, and
// so is what follows of it; of weak rules only what is a secret without more.
func (m *Masker) Release(pass func(*schema.Frame)) {
	for _, c := range m.open {
		m.force(c)
	}
	m.release(m.frame, pass)
}

// End ends the stream: what did not become a secret is none.
func (m *Masker) End(pass func(*schema.Frame)) {
	for _, c := range m.open {
		m.settle(c)
	}
	m.open = nil
	m.release(m.frame, pass)
}

// settle decides on a candidate behind which nothing follows.
func (m *Masker) settle(c *candidate) {
	m.close(c)
	if !c.accepted() && c.rule.Open && !c.forced {
		if from, to := c.partial(); to > max(from, c.key) && c.threads != nil && c.hasName() {
			c.matched, c.from, c.to = true, from, to
		}
	}
	m.finish(c)
}

// hasName reports whether the text says that it is a private key, and not another kind of
// PEM, whose beginning is the same.
func (c *candidate) hasName() bool { return bytes.Contains(c.text, []byte("PRIVATE KEY")) }

// force masks what there is of a candidate.
func (m *Masker) force(c *candidate) {
	if c.forced {
		return
	}
	if _, ok := c.holds(); !ok {
		return
	}
	threads := c.threads
	m.close(c)
	c.threads = threads
	from, to := c.from, c.to
	switch {
	case c.accepted():
	case c.rule.Weak, c.rule.Open && !c.hasName():
		c.pieces = nil
		return
	default:
		from, to = c.partial()
	}
	m.mask(c, from, to, false)
	c.forced, c.pieces = true, nil
}

// finish masks a candidate's match, if it has one.
func (m *Masker) finish(c *candidate) {
	switch {
	case c.forced && c.matched:
		m.mask(c, c.from, c.to, true)
	case !c.forced && c.accepted():
		m.mask(c, c.from, c.to, false)
	case !c.forced && c.whole.to > 0:
		to := int32(c.whole.to)
		if c.matched && c.from == int32(c.whole.from) { // of what began as a secret no end is left
			to = max(to, c.to)
		}
		m.mask(c, int32(c.whole.from), to, false)
	}
}

// mask masks bytes [from, to) of a candidate where its frames are still here. begun says
// that the beginning of the secret was masked before.
func (m *Masker) mask(c *candidate, from, to int32, begun bool) {
	end := min(to, int32(len(c.text)))
	sum := sha256.Sum256(c.text[min(from, end):end]) // the secret itself is not kept
	oldest := m.frame - uint64(len(m.held))
	for _, p := range c.pieces {
		a, b := max(from, p.rel), min(to, p.rel+p.n)
		if a >= b || p.frame < oldest {
			continue
		}
		e := edit{from: p.from, to: p.to, rule: c.rule.Rule, sum: sum, length: to - from, rest: begun}
		if p.n == int32(p.to-p.from) {
			e.from, e.to = p.from+int(a-p.rel), p.from+int(b-p.rel)
		}
		begun = true
		if p.frame == m.frame {
			m.edits = append(m.edits, e)
		} else {
			h := &m.held[p.frame-oldest]
			h.edits = append(h.edits, e)
		}
	}
}

// number returns the number of a secret: equal secrets of a rule have the same one.
func (m *Masker) number(e *edit) int {
	key := e.rule.ID + "\x00" + string(e.sum[:])
	n := m.numbers[key]
	if n == 0 {
		if len(m.numbers) >= stateLimit {
			clear(m.numbers)
		}
		m.last[e.rule.ID]++
		n = m.last[e.rule.ID]
		m.numbers[key] = n
	}
	return n
}
