package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Tenant is the tenant of the sessions.
const Tenant = "default"

// Begin and End bound the year of the recordings; End is excluded.
var (
	Begin = time.Date(2025, time.October, 1, 0, 0, 0, 0, time.UTC)
	End   = Begin.AddDate(1, 0, 0)
)

// Options are the sizes of a data set. A size of 0 is derived from the number of frames.
type Options struct {
	Frames   int    `json:"frames"`   // approximate number; default 100 million
	Sessions int    `json:"sessions"` // default one for 200 frames
	Calls    int    `json:"calls"`    // approximate number of model calls; default 13 for 5 sessions
	Seed     uint64 `json:"seed"`
}

// overhead is the number of frames of a call that are not chunks of its text.
const overhead = 7

// WithDefaults returns the options with all sizes. It returns an error for sizes that contradict
// each other.
func (o Options) WithDefaults() (Options, error) {
	o.Frames = cmp.Or(o.Frames, 100_000_000)
	o.Sessions = cmp.Or(o.Sessions, max(o.Frames/200, 1))
	o.Calls = cmp.Or(o.Calls, o.Sessions*13/5)
	switch {
	case o.Frames < 1 || o.Sessions < 1 || o.Calls < 1:
		return o, errors.New("a data set needs at least 1 frame, 1 session and 1 call")
	case o.Calls < o.Sessions:
		return o, fmt.Errorf("%d calls in %d sessions: a session has at least one", o.Calls, o.Sessions)
	case o.Frames/o.Calls < overhead+2:
		return o, fmt.Errorf("%d frames for %d calls: a call takes at least %d", o.Frames, o.Calls, overhead+2)
	}
	return o, nil
}

// Bytes returns the approximate size of the data set on disk, with merges in progress.
func (o Options) Bytes() uint64 { return uint64(o.Frames)*60 + 256<<20 }

// chunks returns how many chunks of text a call has on average.
func (o Options) chunks() int { return max(o.Frames/o.Calls-overhead, 2) }

// random returns the source of random numbers of a session.
func (o Options) random(session int) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed, uint64(session)))
}

// step returns the time between the starts of two sessions.
func (o Options) step() time.Duration { return End.Sub(Begin) / time.Duration(o.Sessions) }
