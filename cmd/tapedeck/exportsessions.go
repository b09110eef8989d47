package main

import (
	"tapedeck/internal/usage"
	"tapedeck/replay/tapefile"
)

// sessionsHeld are the sessions that a tape has so far, each with a number for the
// name that it came by.
type sessionsHeld map[string]int

// from tells of each record that comes next whether its session is one that came
// by an earlier name: a tape that held it twice would play every frame twice.
func (held sessionsHeld) from(name string) func(*tapefile.Record) error {
	number := len(held) + 1
	return func(r *tapefile.Record) error {
		if r.Kind == tapefile.KindIndex {
			return nil
		}
		if by, is := held[r.Session]; is && by != number {
			return usage.Errorf("session %q is to be written twice: name it, or a file that holds it, once", r.Session)
		}
		held[r.Session] = number
		return nil
	}
}
