package copier

import (
	"context"
	"math/bits"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/schema"
)

const (
	// chargedFrom is the size of an incomplete frame, bytes, from which on it is charged.
	chargedFrom = 256 << 10
	// copies is how often a frame is in memory at the most: as it arrived, in its block, as an
	// encoded block, and once more where a buffer grows or a secret is masked.
	copies = 4
	// ChargedSilence is how long a client may send nothing in the midst of a charged frame.
	ChargedSilence = time.Minute
)

// Charged is a Framer that charges the budget of writers for an incomplete large frame, before it
// takes more bytes of the frame. It waits while the budget is used up, so that the source receives
// backpressure. Nothing is charged for small frames. The caller must call Release.
type Charged struct {
	framer ingest.Framer
	grant  *budget.Grant
	limit  int // bytes of the largest frame
	// Context bounds the wait; it is set before the first call of Split.
	Context context.Context
	// Follows, if set, returns how many bytes of the incomplete frame can follow at the most after
	// the n bytes that Split was called with; negative if it is unknown.
	Follows func(n int) int64

	bytes   int // received since the last frame was recorded
	charged int64
}

var _ ingest.Framer = (*Charged)(nil)

// NewCharged returns a Charged whose frames have at most limit bytes; 0 means
// ingest.DefaultFrameLimit. With a nil budget nothing is charged.
func NewCharged(framer ingest.Framer, limit int, writers *budget.Budget) *Charged {
	if limit <= 0 {
		limit = ingest.DefaultFrameLimit
	}
	return &Charged{framer: framer, grant: writers.Write(), limit: limit}
}

// Split implements ingest.Framer. The error is a *problem.Problem if there was no memory for the
// frame in time, or the cause of the end of Context.
func (c *Charged) Split(b []byte, at int64, emit func(*schema.Frame) error) error {
	large := c.bytes >= chargedFrom
	c.bytes += len(b)
	if large {
		if more := copies*int64(c.expected(len(b))) - c.charged; more > 0 {
			if err := c.grant.Need(c.Context, more); err != nil {
				return err
			}
			c.charged += more
		}
	}
	err := c.framer.Split(b, at, func(f *schema.Frame) error {
		c.bytes = min(max(0, c.bytes-len(f.Raw)), len(b)) // the remaining bytes belong to the next frame
		return emit(f)
	})
	if of, ok := c.framer.(interface{ Pending() int }); ok {
		c.bytes = of.Pending()
	}
	if c.bytes < chargedFrom {
		c.refund()
	}
	return err
}

// expected returns the size to which the incomplete frame may grow: what is known to follow, if no
// more than a frame can, else the size of the buffer that holds its bytes, which doubles. read is
// the number of bytes that Split was called with.
func (c *Charged) expected(read int) int {
	if c.Follows != nil {
		if n := c.Follows(read); n >= 0 && int64(c.bytes)+n <= int64(c.limit) {
			return c.bytes + int(n)
		}
	}
	return min(1<<bits.Len(uint(c.bytes-1)), max(c.limit, c.bytes))
}

// End implements ingest.Framer.
func (c *Charged) End(at int64, emit func(*schema.Frame) error) error {
	return c.framer.End(at, emit)
}

// Charges reports whether an incomplete frame is charged.
func (c *Charged) Charges() bool { return c.charged > 0 }

// refund returns what was charged.
func (c *Charged) refund() {
	c.grant.Adjust(-c.charged)
	c.charged = 0
}

// Release returns what is charged. It is called when the source has ended.
func (c *Charged) Release() {
	c.refund()
	c.grant.Close()
}
