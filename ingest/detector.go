package ingest

import (
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/schema"
)

// detector detects the dialect of a stream, and the session of frames that name none. Both may be
// evident only after some frames, so it buffers frames until then, bounded by number, bytes and
// time. Decoded frames go to the segmenter.
//
// A dialect that is not detected within these bounds is detected late. Meanwhile frames are decoded
// as generic, and the detector keeps copies of them, so that the decoder of the dialect reads all
// frames from the first on.
type detector struct {
	settings *Settings
	clock    *frameClock // nil without StreamOptions.FrameClock
	decoder  *decoder
	next     sessionStage
	wake     *wakeup
	passed   func(*schema.Frame) // StreamOptions.Passed; may be nil

	state      detection
	recogniser *dialects.Recogniser // nil once the dialect is detected
	named      bool                 // the session is detected or named
	frames     []bufferedFrame      // while sniffing, the frames; while provisional, copies of them
	bytes      int                  // size of frames
	decoded    int                  // number of frames that were decoded
	since      time.Time            // when the first of frames arrived
}

type detection int

const (
	sniffing detection = iota
	provisional
	settled
)

// sessionStage is the stage after the detector.
type sessionStage interface {
	setDialect(name, evidence string)
	setSession(named string) // sets the session of frames that name none
	add(f *schema.Frame, lost uint64)
}

// bufferedFrame is a copy of a frame, with the number of frames lost before it.
type bufferedFrame struct {
	schema.Frame
	lost uint64
}

// start begins to detect the dialect if the decoder has none, and the session unless it is named.
func (d *detector) start(named bool) {
	d.named = named
	if d.decoder.machine == nil {
		d.recogniser = dialects.NewRecogniser()
	}
	if d.known() {
		d.state = settled
	}
}

// known reports whether everything is detected.
func (d *detector) known() bool { return d.recogniser == nil && d.named && d.dated() }

// dated reports whether the time of the first frame is known: with a frame clock the first frames
// of a file may not state it.
func (d *detector) dated() bool {
	return d.clock == nil || d.recogniser == nil && d.clock.found()
}

func (d *detector) full() bool {
	return len(d.frames) >= d.settings.DetectFrames || d.bytes >= d.settings.DetectBytes
}

// expired reports whether buffered frames have waited for the maximum time.
func (d *detector) expired() bool {
	return len(d.frames) > 0 && time.Since(d.since) >= d.settings.DetectFor
}

// push processes the next frame.
func (d *detector) push(f *schema.Frame) {
	switch d.state {
	case sniffing:
		d.buffer(f)
		return
	case provisional:
		d.detectLate(f)
	}
	d.decode(f)
	d.next.add(f, d.decoder.lost())
}

func (d *detector) decode(f *schema.Frame) {
	if d.clock != nil {
		d.clock.stamp(f)
	}
	d.decoder.decode(f)
	if d.passed != nil {
		d.passed(f)
	}
}

// buffer buffers a frame, and releases all frames once everything is known or a bound is reached.
func (d *detector) buffer(f *schema.Frame) {
	if len(d.frames) == 0 {
		d.since = time.Now()
	}
	d.remember(f)
	last := &d.frames[len(d.frames)-1]
	if d.recogniser != nil && d.recognise(&last.Frame) {
		d.settle()
		d.recogniser = nil
	}
	if d.recogniser == nil && d.dated() {
		d.decodeBuffered()
		f.Envelope, f.Flags = last.Envelope, last.Flags // for the caller of Record
	}
	if d.known() || d.full() || d.expired() {
		d.release(false)
		return
	}
	d.wake.within(d.settings.BlockAge)
}

func (d *detector) remember(f *schema.Frame) {
	d.frames = append(d.frames, bufferedFrame{Frame: cloneFrame(f)})
	d.bytes += len(f.Raw)
}

// recognise reports whether the frames so far determine the dialect.
func (d *detector) recognise(f *schema.Frame) (done bool) {
	d.decoder.parser.Parse(f, func(in *dialect.Input) { done = d.recogniser.Observe(in) })
	return done
}

// settle sets the most likely dialect.
func (d *detector) settle() {
	best, evidence := d.recogniser.Settle()
	d.decoder.use(best)
	d.next.setDialect(best.Name, evidence)
}

// decodeBuffered decodes the buffered frames that are not decoded yet. The first session that a
// frame names is the stream's session.
func (d *detector) decodeBuffered() {
	for ; d.decoded < len(d.frames); d.decoded++ {
		f := &d.frames[d.decoded]
		d.decode(&f.Frame)
		f.lost = d.decoder.lost()
		e := &f.Envelope
		for _, text := range []*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
			*text = strings.Clone(*text) // the text is valid until the decoder's next call
		}
		if f.Session != "" && !d.named {
			d.named = true
			d.next.setSession(f.Session)
		}
	}
}

// release passes the buffered frames on. Unless the stream has ended, a dialect that was not
// detected so far is detected late.
func (d *detector) release(ended bool) {
	if d.state != sniffing {
		return
	}
	d.state = settled
	var copies []bufferedFrame
	if d.recogniser != nil {
		if !ended && d.recogniser.Best() < dialect.Likely {
			d.state = provisional
			copies = slices.Clone(d.frames) // as they are before they are decoded
		}
		d.settle()
		if d.state == settled {
			d.recogniser = nil
		}
	}
	d.decodeBuffered()
	frames := d.frames
	d.frames = copies
	for i := range frames {
		d.next.add(&frames[i].Frame, frames[i].lost)
	}
}

// detectLate examines a frame in the state provisional, before the frame is decoded.
func (d *detector) detectLate(f *schema.Frame) {
	done := d.recognise(f)
	if !done && d.recogniser.Best() < dialect.Likely && !d.full() {
		d.remember(f)
		return
	}
	d.state = settled
	d.settle()
	frames := d.frames
	d.recogniser, d.frames = nil, nil
	if d.decoder.dialect.Name == generic.Dialect.Name {
		return // the frames were decoded as generic
	}
	for i := range frames {
		d.decoder.decode(&frames[i].Frame)
	}
}
