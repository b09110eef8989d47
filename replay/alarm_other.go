//go:build !linux

package replay

// PreciseAlarm returns the most exact Alarm of this system; see the one for Linux.
// Elsewhere Go's own timers are already that.
func PreciseAlarm() Alarm { return TimerAlarm() }
