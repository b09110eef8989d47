package bench

import (
	"slices"
	"time"
)

// Lap is one timed pass over some frames.
type Lap struct {
	Frames   uint64
	Bytes    uint64 // raw bytes, or those of blocks, depending on the measurement
	Messages uint64 // messages sent; 0 if none
	Took     time.Duration
	CPU      time.Duration // of all processes involved; 0 if it was not measured
}

// Rate is frames per second.
func (r Lap) Rate() float64 { return float64(r.Frames) / r.Took.Seconds() }

// ByteRate is bytes per second.
func (r Lap) ByteRate() float64 { return float64(r.Bytes) / r.Took.Seconds() }

// MessageRate is messages per second.
func (r Lap) MessageRate() float64 { return float64(r.Messages) / r.Took.Seconds() }

func perMillion(cpu time.Duration, frames uint64) float64 {
	return cpu.Seconds() / float64(frames) * 1e6
}

// Laps are passes of the same work.
type Laps []Lap

// Median returns the pass with the median byte rate; of two in the middle the slower.
// There is at least one.
func (r Laps) Median() Lap { return r.sorted()[(len(r)-1)/2] }

// Range returns the slowest and the fastest pass.
func (r Laps) Range() (low, high Lap) {
	s := r.sorted()
	return s[0], s[len(s)-1]
}

func (r Laps) sorted() Laps {
	return slices.SortedFunc(slices.Values(r), func(a, b Lap) int {
		switch {
		case a.ByteRate() < b.ByteRate():
			return -1
		case a.ByteRate() > b.ByteRate():
			return 1
		}
		return 0
	})
}

// Delays is a list of single delays.
type Delays []time.Duration

// At returns the quantile q of the delays, 0 without any.
func (d Delays) At(q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[int(q*float64(len(s)-1))]
}
