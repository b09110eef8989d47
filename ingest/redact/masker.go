package redact

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"tapedeck/schema"
)

// Masker masks the secrets of one stream. It is not safe for concurrent use.
type Masker struct {
	engine  *Engine
	otlp    bool // the stream is of the dialect otlp
	machine machine
	walker  walker
	layout  layout
	buf     []byte  // buffer for decoded texts
	ends    []int32 // buffer for the ends of decoded characters

	states  states // by channel
	open    []*candidate
	frame   uint64 // number of the current frame
	edits   []edit // edits of the current frame
	held    []heldFrame
	bytes   int       // bytes in held
	since   time.Time // arrival of the first frame in held
	numbers map[string]int
	last    map[string]int // latest number of each rule's secrets
	counts  map[string]uint64
	report  func(*schema.Frame, Found)
}

// heldFrame is a copy of a frame that is held back, with the edits that are known so far.
type heldFrame struct {
	schema.Frame
	edits []edit
	wrapped
}

// Bounds on the frames that a Masker holds back.
const (
	HoldFor    = 3 * time.Second
	holdFrames = 1024
	holdBytes  = 1 << 20
	// openLimit bounds the open candidates of a stream, stateLimit the texts whose states are kept.
	openLimit  = 256
	stateLimit = 4096
)

// NewMasker returns the masker of a stream.
func (e *Engine) NewMasker() *Masker {
	return &Masker{engine: e, numbers: map[string]int{}, last: map[string]int{}, counts: map[string]uint64{}}
}

// Counts returns the number of masked secrets by rule.
func (m *Masker) Counts() map[string]uint64 { return m.counts }

// Found is a secret that was masked.
type Found struct {
	Rule        string `json:"rule"`
	Placeholder string `json:"placeholder"`
	Offset      int    `json:"offset"` // in the frame's bytes before masking, bytes
	Length      int    `json:"length"` // length of the part of the secret in that frame, bytes
}

// Report sets a function that is called for each secret, with the frame in which the secret begins,
// before the frame is passed on.
func (m *Masker) Report(f func(*schema.Frame, Found)) { m.report = f }

// Resume continues the numbering of secrets after the highest number in bytes that were masked
// earlier.
func (m *Masker) Resume(raw []byte) {
	for rule, number := range masks(raw) {
		m.last[rule] = max(m.last[rule], number)
	}
}

// Push takes the next frame, and calls pass, in order, for each frame in which no more secrets can
// be found. The Masker changes f only to mask secrets in it. f need not stay valid after the call.
func (m *Masker) Push(f *schema.Frame, pass func(*schema.Frame)) {
	if f.Transport == schema.NATS || f.Transport == schema.EventStream {
		m.push(f, m.unwrap(f), pass)
		return
	}
	if f.Transport == schema.HTTP && f.Flags&(schema.FlagOversize|schema.FlagNote) == 0 && m.pushOTLP(f, pass) {
		return
	}
	m.push(f, wrapped{}, pass)
}

func (m *Masker) push(f *schema.Frame, w wrapped, pass func(*schema.Frame)) {
	m.scan(f)
	if len(m.open) == 0 && len(m.held) == 0 && len(m.edits) == 0 && w.raw == nil { // the usual case
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

// first returns the number of the first frame that has to be held back.
func (m *Masker) first() (first uint64, holds bool) {
	for _, c := range m.open {
		if frame, ok := c.holds(); ok && (!holds || frame < first) {
			first, holds = frame, true
		}
	}
	return first, holds
}

// release passes on the held frames whose number is below first.
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

// Expired reports whether frames have been held back for HoldFor or longer.
func (m *Masker) Expired() bool { return m.Holds() && time.Since(m.since) >= HoldFor }

// Release passes on all held frames. It masks text that may be the beginning of a secret, and later
// the rest of that secret. For weak rules it masks only text that is a complete secret.
func (m *Masker) Release(pass func(*schema.Frame)) {
	for _, c := range m.open {
		m.force(c)
	}
	m.release(m.frame, pass)
}

// End ends the stream. Candidates that are not complete secrets are not masked.
func (m *Masker) End(pass func(*schema.Frame)) {
	for _, c := range m.open {
		m.settle(c)
	}
	m.open = nil
	m.release(m.frame, pass)
}

// settle decides on a candidate after which no text follows.
func (m *Masker) settle(c *candidate) {
	m.close(c)
	if !c.accepted() && c.rule.Open && !c.forced {
		if from, to := c.partial(); to > max(from, c.key) && c.threads != nil && c.hasName() {
			c.matched, c.from, c.to = true, from, to
		}
	}
	m.finish(c)
}

// hasName reports whether the text identifies itself as a private key. Other kinds of PEM have the
// same beginning.
func (c *candidate) hasName() bool { return bytes.Contains(c.text, []byte("PRIVATE KEY")) }

// force masks the part of a candidate that has arrived.
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

// finish masks the match of a candidate, if it has one.
func (m *Masker) finish(c *candidate) {
	switch {
	case c.forced && c.matched:
		m.mask(c, c.from, c.to, true)
	case !c.forced && c.accepted():
		m.mask(c, c.from, c.to, false)
	case !c.forced && c.whole.to > 0:
		to := int32(c.whole.to)
		if c.matched && c.from == int32(c.whole.from) { // the beginning is masked, and the end is not known
			to = max(to, c.to)
		}
		m.mask(c, int32(c.whole.from), to, false)
	}
}

// mask masks bytes [from, to) of a candidate in those frames that were not passed on yet. begun
// reports that the beginning of the secret was masked earlier.
func (m *Masker) mask(c *candidate, from, to int32, begun bool) {
	end := min(to, int32(len(c.text)))
	sum := sha256.Sum256(c.text[min(from, end):end]) // only the hash of the secret is kept
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

// number returns the number of a secret. Equal secrets of one rule have the same number.
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
