package bench

import (
	"cmp"
	"slices"
	"time"
)

// Pass is one timed pass over some frames.
type Pass struct {
	Frames   uint64        `json:"frames,omitempty"`
	Bytes    uint64        `json:"bytes,omitempty"`    // raw bytes, or the bytes of blocks, depending on the measurement
	Messages uint64        `json:"messages,omitempty"` // messages sent; 0 if none
	Took     time.Duration `json:"took_ns"`
	CPU      time.Duration `json:"cpu_ns,omitempty"` // of all processes involved; 0 if it was not measured
}

// Rate returns the frames per second.
func (p Pass) Rate() float64 { return float64(p.Frames) / p.Took.Seconds() }

// ByteRate returns the bytes per second.
func (p Pass) ByteRate() float64 { return float64(p.Bytes) / p.Took.Seconds() }

// PerGB returns the CPU-seconds per GB; 0 without bytes.
func (p Pass) PerGB() float64 {
	if p.Bytes == 0 {
		return 0
	}
	return p.CPU.Seconds() / float64(p.Bytes) * 1e9
}

// MessageRate returns the messages per second.
func (p Pass) MessageRate() float64 { return float64(p.Messages) / p.Took.Seconds() }

// Passes are passes of the same work.
type Passes []Pass

// Median returns the pass with the median byte rate, the slower one of two in the middle. Without
// passes it returns the zero value.
func (p Passes) Median() Pass {
	if len(p) == 0 {
		return Pass{}
	}
	return p.sorted()[(len(p)-1)/2]
}

// Range returns the slowest and the fastest pass.
func (p Passes) Range() (low, high Pass) {
	s := p.sorted()
	return s[0], s[len(s)-1]
}

func (p Passes) sorted() Passes {
	return slices.SortedFunc(slices.Values(p), func(a, b Pass) int { return cmp.Compare(a.ByteRate(), b.ByteRate()) })
}

// turn is a measurement that alternates with others.
type turn struct {
	into *Passes
	run  func() (Pass, error)
}

// alternate takes n passes of each turn, one turn after another, so that other load affects all of
// them.
func alternate(n int, turns ...turn) error {
	for range n {
		for _, t := range turns {
			pass, err := t.run()
			if err != nil {
				return err
			}
			*t.into = append(*t.into, pass)
		}
	}
	return nil
}

// Percentiles summarises delays.
type Percentiles struct {
	Count int           `json:"count"`
	P50   time.Duration `json:"p50_ns"`
	P90   time.Duration `json:"p90_ns"`
	P95   time.Duration `json:"p95_ns"`
	P99   time.Duration `json:"p99_ns"`
	P999  time.Duration `json:"p999_ns"`
	Max   time.Duration `json:"max_ns"`
}

// percentiles summarises delays.
func percentiles(delays []time.Duration) Percentiles {
	s := slices.Sorted(slices.Values(delays))
	at := func(q float64) time.Duration {
		if len(s) == 0 {
			return 0
		}
		return s[int(q*float64(len(s)-1))]
	}
	return Percentiles{len(s), at(0.5), at(0.9), at(0.95), at(0.99), at(0.999), at(1)}
}
