//go:build !linux

package replay

// PreciseAlarm returns the most exact Alarm of this system: a TimerAlarm, except on
// Linux.
func PreciseAlarm() Alarm { return TimerAlarm() }
