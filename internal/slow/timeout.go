package slow

import (
	"sync/atomic"
	"time"
)

// Timeout is a bound that may be changed while a server runs. Operations in progress keep the bound
// with which they began. A nil Timeout, and a Timeout of 0, mean the default. It is safe for use by
// many goroutines.
type Timeout struct{ ns atomic.Int64 }

// NewTimeout returns a timeout of a duration.
func NewTimeout(d time.Duration) *Timeout {
	t := &Timeout{}
	t.Set(d)
	return t
}

// Set changes the timeout.
func (t *Timeout) Set(d time.Duration) { t.ns.Store(int64(d)) }

// Or returns the timeout, or the default if it is not set.
func (t *Timeout) Or(otherwise time.Duration) time.Duration {
	if t != nil {
		if d := t.ns.Load(); d != 0 {
			return time.Duration(d)
		}
	}
	return otherwise
}
