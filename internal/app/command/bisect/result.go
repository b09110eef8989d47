package bisect

import (
	"fmt"
	"slices"
	"strconv"

	"tapedeck/internal/console"
)

// Session is a session with the result of the check.
type Session struct {
	SessionID string `json:"session_id"`
	Started   string `json:"started"`
	Does      bool   `json:"does"`
	Sentence  string `json:"sentence,omitempty"` // how it differs from the first
}

// Result is the result for all sessions.
type Result struct {
	Question string    `json:"question"`
	Sentence string    `json:"sentence"`
	Since    *string   `json:"since"`    // the first session that matches, if all later ones do; otherwise null
	Steady   bool      `json:"steady"`   // all sessions after the first match also match
	Sessions []Session `json:"sessions"` // in order of their start
}

// Any reports whether a session matches.
func (b *Result) Any() bool {
	return slices.ContainsFunc(b.Sessions, func(s Session) bool { return s.Does })
}

// conclude summarises the results in a sentence.
func (b *Result) conclude() {
	does, changes, first := 0, 0, -1
	for i := range b.Sessions {
		if b.Sessions[i].Does {
			does++
			if first < 0 {
				first = i
			}
		}
		if i > 0 && b.Sessions[i].Does != b.Sessions[i-1].Does {
			changes++
		}
	}
	n := len(b.Sessions)
	b.Steady = first < 0 || does == n-first
	switch {
	case does == 0:
		b.Sentence = fmt.Sprintf("None of %s %s.", console.Count(n, "session"), b.Question)
	case does == n:
		b.Since = &b.Sessions[0].SessionID
		b.Sentence = fmt.Sprintf("Every one of %s %s.", console.Count(n, "session"), b.Question)
	case b.Steady:
		b.Since = &b.Sessions[first].SessionID
		b.Sentence = fmt.Sprintf("Since %s, the %s of %s, every session %s.", b.Sessions[first].SessionID,
			ordinal(first+1), console.Count(n, "session"), b.Question)
	default:
		b.Sentence = fmt.Sprintf("There is no session since which every session %s: %d of %s match, with %s from one to the next. The first match is %s.",
			b.Question, does, console.Count(n, "session"), console.Count(changes,
				"change"), b.Sessions[first].SessionID)
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
