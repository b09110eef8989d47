package ingest

import (
	"time"

	"tapedeck/schema"
)

// lookahead is the stage after mask. It counts frames in the stream's summary. With a frame clock
// it delays each frame until enough frames follow it to judge the time that the frame states.
type lookahead struct {
	clock    *frameClock // nil unless StreamOptions.FrameClock
	settings *Settings
	position *position
	reread   *reread
	summary  *Summary
	next     *detector
	wake     *wakeup
}

// push processes a frame whose secrets are masked.
func (l *lookahead) push(f *schema.Frame) {
	if l.reread.summed(f.Seq) {
		l.summary.Frames++
		l.summary.Bytes += uint64(len(f.Raw))
	}
	if l.clock == nil || l.clock.off && !l.clock.delays() {
		l.pass(f)
		return
	}
	l.clock.push(f)
	l.wake.within(l.settings.DetectFor)
	for l.clock.due() {
		l.pass(l.clock.pop())
	}
}

// pass passes a frame to the detector.
func (l *lookahead) pass(f *schema.Frame) {
	l.position.taken = f.Seq + 1
	l.next.push(f)
}

// release passes all delayed frames on.
func (l *lookahead) release() {
	for l.clock != nil && l.clock.delays() {
		l.pass(l.clock.pop())
	}
}

// tick releases delayed frames once no frame has followed them for Settings.DetectFor.
func (l *lookahead) tick() {
	if l.clock == nil || !l.clock.delays() {
		return
	}
	if time.Since(l.clock.since) < l.settings.DetectFor {
		l.wake.within(l.settings.BlockAge)
		return
	}
	l.release()
}
