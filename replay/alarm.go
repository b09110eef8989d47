package replay

import "time"

// Alarm wakes a player. It is used by one goroutine.
type Alarm interface {
	// Set has C receive once after d, in place of what was set before. A wake-up
	// that is too early or was set before may still come.
	Set(d time.Duration)
	C() <-chan time.Time
	Close()
}

// TimerAlarm returns an Alarm on Go's own timers. On Linux they are up to a
// millisecond late; they are what runs in a bubble of testing/synctest.
func TimerAlarm() Alarm {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return timerAlarm{t}
}

type timerAlarm struct{ timer *time.Timer }

func (a timerAlarm) Set(d time.Duration) { a.timer.Reset(d) }
func (a timerAlarm) C() <-chan time.Time { return a.timer.C }
func (a timerAlarm) Close()              { a.timer.Stop() }
