package dialects

import (
	"fmt"

	"tapedeck/ingest/dialect"
)

// Bound is the number of JSON messages that a Recogniser reads before it decides. It reads
// textPerJSON times as many text messages, which programs print first. Frames without messages do
// not count; HTTP heads are read all the same.
const (
	Bound       = 32
	textPerJSON = 8
)

// Recogniser recognises the dialect of a stream from its first frames. A frame that only one
// dialect has decides at once. Otherwise the Recogniser decides after Bound messages, or when
// Settle is called: it takes the dialect with the surest frame, and of several the one with more
// such frames. Frames that are only Possible decide nothing: the stream is then generic.
type Recogniser struct {
	candidates []candidate
	messages   int
	weight     int // of the messages, in 1/textPerJSON of a JSON message
	frames     int
	settled    bool
}

// candidate is the evidence for one dialect.
type candidate struct {
	dialect.Dialect
	best   dialect.Confidence
	frame  int    // its first frame of that confidence, from 1
	why    string // the evidence in that frame
	frames [dialect.Certain + 1]int
}

// NewRecogniser returns a Recogniser of all dialects.
func NewRecogniser() *Recogniser { return NewRecogniserOf(All()) }

// NewRecogniserOf is NewRecogniser for a list of dialects, the last of which reads any stream.
func NewRecogniserOf(list []dialect.Dialect) *Recogniser {
	r := &Recogniser{candidates: make([]candidate, len(list))}
	for i, d := range list {
		r.candidates[i].Dialect = d
	}
	return r
}

// Observe reads the next frame and reports whether the dialect is decided, by this frame or by
// the bound. Settle then returns it.
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
			r.settled = true // the dialects before it are less sure
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

// Best returns the highest confidence so far.
func (r *Recogniser) Best() dialect.Confidence {
	best := dialect.No
	for i := range r.candidates {
		best = max(best, r.candidates[i].best)
	}
	return best
}

// Settle returns the most likely dialect and the evidence for it. It may be called at any time.
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
