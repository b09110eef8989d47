package player

import "time"

// Alarm wakes a player. It is used by one goroutine.
type Alarm interface {
	// Set makes C receive once after d and replaces an earlier setting. A wake-up of the earlier
	// setting, or one that is too early, may still arrive.
	Set(d time.Duration)
	C() <-chan time.Time
	Close()
}

// TimerAlarm returns an Alarm that uses Go's own timers. On Linux they are up to a millisecond
// late. They work in a bubble of testing/synctest.
func TimerAlarm() Alarm {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return timerAlarm{t}
}

type timerAlarm struct{ timer *time.Timer }

func (a timerAlarm) Set(d time.Duration) { a.timer.Reset(d) }
func (a timerAlarm) C() <-chan time.Time { return a.timer.C }
func (a timerAlarm) Close()              { a.timer.Stop() }
