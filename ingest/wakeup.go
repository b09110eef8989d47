package ingest

import "time"

// wakeup calls a function once, after the shortest delay that a stage has requested. The stream's
// lock guards it.
type wakeup struct {
	fire  func()
	timer *time.Timer
	delay time.Duration // delay that the timer was set to; 0 while it is not set
	ended bool
}

// within requests a call in at most d.
func (w *wakeup) within(d time.Duration) {
	if w.ended || w.delay != 0 && w.delay <= d {
		return
	}
	w.delay = d
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.fire)
		return
	}
	w.timer.Reset(d)
}

// fired records that the function was called, so that another call can be requested.
func (w *wakeup) fired() { w.delay = 0 }

// end cancels the call and ignores all further requests.
func (w *wakeup) end() {
	w.ended = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
