//go:build !linux

package player

// PreciseAlarm returns the most exact Alarm of this system: a TimerAlarm, except on
// Linux.
func PreciseAlarm() Alarm { return TimerAlarm() }
