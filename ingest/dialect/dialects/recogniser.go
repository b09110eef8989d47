package dialects

import (
	"fmt"

	"tapedeck/ingest/dialect"
)

// Bound is how many JSON messages a Recogniser looks at before it decides; of
// text, which programs print before they come to the point, textPerJSON times as
// many. Frames
// that hold none do not count; of those, the heads of HTTP messages are looked
// at all the same.
const (
	Bound       = 32
	textPerJSON = 8
)

// Recogniser finds out which dialect a stream speaks, from its first frames. A
// frame that only one dialect has settles it at once. Otherwise the best guess
// is taken after Bound messages, or when Settle is called: the dialect with
// the surest frame, of several the one with more of them. What only could be
// of a dialect does not make it: then the stream is generic.
type Recogniser struct {
	candidates []candidate
	messages   int
	weight     int // of the messages, in textPerJSON-ths of a JSON message
	frames     int
	settled    bool
}

// candidate is what was found for one dialect.
type candidate struct {
	dialect.Dialect
	best   dialect.Confidence
	frame  int    // its first frame of that confidence, counted from 1
	why    string // what it went by there
	frames [dialect.Certain + 1]int
}

// NewRecogniser begins with a stream's first frame.
func NewRecogniser() *Recogniser { return NewRecogniserOf(All()) }

// NewRecogniserOf is NewRecogniser for a list of dialects, the last of which reads any
// stream.
func NewRecogniserOf(list []dialect.Dialect) *Recogniser {
	r := &Recogniser{candidates: make([]candidate, len(list))}
	for i, d := range list {
		r.candidates[i].Dialect = d
	}
	return r
}

// Observe looks at the next frame and reports whether the dialect is settled, by
// this frame or by the bound. Then Settle returns it.
func (r *Recogniser) Observe(in *dialect.Input) bool {
	r.frames++
	_, isHead := dialect.HeadOf(in)
	if r.settled || len(in.Data) == 0 && !isHead {
		return r.settled
	}
	if !isHead {
		r.messages++
		r.weight++
		if in.JSON != nil {
			r.weight += textPerJSON - 1
		}
	}
	for i := range r.candidates {
		if r.candidates[i].look(in, r.frames) == dialect.Certain {
			r.settled = true // those that come before it are not as sure
			return true
		}
	}
	r.settled = r.weight >= Bound*textPerJSON
	return r.settled
}

func (c *candidate) look(in *dialect.Input, number int) dialect.Confidence {
	sure, why := c.Match(in)
	c.frames[sure]++
	if sure > c.best {
		c.best, c.frame, c.why = sure, number, why
	}
	return sure
}

// Best is how sure the surest frame so far is.
func (r *Recogniser) Best() dialect.Confidence {
	best := dialect.No
	for i := range r.candidates {
		best = max(best, r.candidates[i].best)
	}
	return best
}

// Settle returns the dialect that most speaks for, and what that is. It may be
// called at any time.
func (r *Recogniser) Settle() (dialect.Dialect, string) {
	last := &r.candidates[len(r.candidates)-1]
	best := last
	for i := range r.candidates {
		c := &r.candidates[i]
		if c.best < dialect.Likely || c.best < best.best {
			continue
		}
		if c.best > best.best || c.frames[c.best] > best.frames[c.best] {
			best = c
		}
	}
	switch {
	case best != last:
		return best.Dialect, fmt.Sprintf("frame %d: %s", best.frame, best.why)
	case r.messages == 0:
		return last.Dialect, "no message to go by"
	case r.messages == 1:
		return last.Dialect, last.why + " of no known protocol in the first message"
	}
	return last.Dialect, fmt.Sprintf("%s of no known protocol in the first %d messages", last.why, r.messages)
}
