package assert

import (
	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionhead"
)

// Result is what the check of a recording found.
type Result struct {
	Recording  string      `json:"recording"` // the tape file or the session, as it was named
	SessionID  string      `json:"session_id"`
	Passed     bool        `json:"passed"` // all assertions passed
	Assertions []Assertion `json:"assertions"`
}

// Failed returns the number of assertions that failed.
func (r *Result) Failed() (n int) {
	for i := range r.Assertions {
		if !r.Assertions[i].Passed {
			n++
		}
	}
	return n
}

// Assertion is a condition with what was found.
type Assertion struct {
	Name     string `json:"name"` // the key in a file of conditions, such as calls.Bash
	Passed   bool   `json:"passed"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	// At is where the condition failed; null if it passed, or if no single moment is the reason.
	At *Moment `json:"at"`
}

// Moment is a place in a recording.
type Moment struct {
	OffsetMS float64 `json:"offset_ms"` // since the first frame
	// Position is that of a frame; "" if it is unknown.
	Position string               `json:"position"`
	Span     *sessionhead.SpanRef `json:"span"` // null outside of any span
}

// Text describes the moment for people: the offset, and the kind, name and id of the span. It is "" for nil.
func (m *Moment) Text() string {
	if m == nil {
		return ""
	}
	text := "+" + console.Millis(m.OffsetMS)
	if m.Span == nil {
		return text
	}
	for _, word := range []string{m.Span.Kind, m.Span.Name, m.Span.ID} {
		if word != "" {
			text += " " + word
		}
	}
	return text
}
