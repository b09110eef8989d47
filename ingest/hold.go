package ingest

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

// hold keeps the first frames of a stream until it is known what dialect they
// speak and which session they belong to, both of which may show only some
// frames in. It is bounded by frames, bytes and time.
type hold struct {
	stream     *Stream
	recogniser *dialects.Recogniser // nil once the dialect is settled
	frames     []heldFrame
	decoded    int  // how many of them were decoded
	looked     int  // how many of them were asked for a time
	timed      bool // one of them has a time
	bytes      int
	since      time.Time
	named      bool // the session is settled
}

// heldFrame is a copy of a frame, with the frames lost before it.
type heldFrame struct {
	schema.Frame
	lost   uint64
	dated  dated // of FrameClock, once it was looked for
	looked bool
}

// held copies a frame.
func held(f *schema.Frame) heldFrame {
	own := heldFrame{Frame: *f}
	own.Raw, own.Cuts = bytes.Clone(f.Raw), slices.Clone(f.Cuts)
	return own
}

// own makes the envelope outlive the decoder's call.
func (f *heldFrame) own() {
	e := &f.Envelope
	for _, text := range []*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
		*text = strings.Clone(*text)
	}
}

func newHold(s *Stream) *hold {
	h := &hold{stream: s, named: s.opts.Session != "" || s.parts.session != ""}
	if s.decoder.Decoder == nil {
		h.recogniser = dialects.NewRecogniser()
	}
	return h
}

func (h *hold) done() bool { return h.recogniser == nil && h.named && h.clocked() }

// clocked reports whether it is known when the first frame was made: with
// FrameClock the first frames of a file may not say it, and later ones do.
func (h *hold) clocked() bool {
	s := h.stream
	return !s.opts.FrameClock || h.recogniser == nil && s.decoder.time == nil || h.timed
}

func (h *hold) expired() bool {
	return len(h.frames) > 0 && time.Since(h.since) >= h.stream.recorder.settings.HoldFor
}

func (h *hold) full() bool {
	set := h.stream.recorder.settings
	return len(h.frames) >= set.HoldFrames || h.bytes >= set.HoldBytes
}

// holdBack adds a frame to those held, and lets them go once all is known or a
// bound is reached.
func (s *Stream) holdBack(f *schema.Frame) {
	h := s.hold
	if len(h.frames) == 0 {
		h.since = time.Now()
	}
	h.frames = append(h.frames, held(f))
	h.bytes += len(f.Raw)
	if h.recogniser != nil {
		h.recognise(&h.frames[len(h.frames)-1].Frame)
	}
	if h.recogniser == nil && (h.clocked() || h.findClock()) {
		h.decodeHeld()
		last := &h.frames[len(h.frames)-1]
		f.Envelope, f.Flags = last.Envelope, last.Flags // for who looks at the frame afterwards
	}
	if h.done() || h.full() || h.expired() {
		s.release(false)
		return
	}
	s.arm(s.recorder.settings.BlockAge)
}

func (h *hold) recognise(f *schema.Frame) {
	h.stream.look(f, func(in *dialect.Input) {
		if h.recogniser.Feed(in) {
			h.settle()
		}
	})
}

// settle takes the dialect that the frames so far speak for most.
func (h *hold) settle() {
	d, evidence := h.recogniser.Settle()
	h.stream.settleDialect(d, evidence)
	h.recogniser = nil
}

// decodeHeld decodes what was held undecoded; the first session that a frame
// names is the stream's.
func (h *hold) decodeHeld() {
	s := h.stream
	for ; h.decoded < len(h.frames); h.decoded++ {
		f := &h.frames[h.decoded]
		s.decode(&f.Frame)
		f.own()
		f.lost = s.emitter.TakeLost()
		if f.Session != "" && !h.named {
			h.named = true
			s.parts.name(f.Session)
		}
	}
}

// findClock looks for the first frame that says when it was made, and reports
// whether there is one: those before it arrived with it.
func (h *hold) findClock() bool {
	s := h.stream
	for ; h.looked < len(h.frames) && !h.timed && s.decoder.time != nil; h.looked++ {
		f := &h.frames[h.looked]
		f.dated, f.looked = s.dateOf(&f.Frame), true
		h.timed = possible(f.dated.at)
	}
	return h.timed
}

// release lets the held frames go to their sessions. Without hold it does
// nothing. Unless the stream has ended, a dialect that has not shown so far is
// looked for further.
func (s *Stream) release(ended bool) {
	h := s.hold
	if h == nil {
		return
	}
	if h.recogniser != nil {
		if !ended && h.recogniser.Best() < dialect.Likely {
			s.late = h.lookLater()
		}
		h.settle()
	}
	h.decodeHeld()
	for len(h.frames) > 0 { // those not kept yet count as waiting
		f := &h.frames[0]
		h.frames = h.frames[1:]
		s.keep(&f.Frame, f.lost)
	}
	s.hold = nil
}
