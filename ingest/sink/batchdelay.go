package sink

import "time"

// batchDelay decides when a batch that is not full is stored. It does not read the clock: its
// callers pass the times.
type batchDelay struct {
	opts *Options
	// stored returns the time at which the latest insert ended, and how long ClickHouse worked on
	// it.
	stored func() (at time.Time, took time.Duration)

	began, latest time.Time // arrival of the batch's first and latest block
	due           time.Time // latest time at which the batch is stored
	end           bool      // the batch holds the end of a stream, which a reader may be waiting for
	load          bool      // blocks arrive at the rate of a bulk load
}

// bulk defines a bulk load: more than one in bulk of a full batch arrives within BatchPace. A bulk
// load is gathered for longer, since few large inserts leave ClickHouse less to merge. A batch of
// at least this size is inserted over two connections.
const bulk = 6

// The minimum pause after an insert, in multiples of the insert's duration: in general, and before
// the end of a stream is stored.
const (
	restPerInsert = 4
	restBeforeEnd = 1
)

// begin starts a batch with its first block.
func (p *batchDelay) begin(now time.Time) {
	p.end, p.load = false, false
	p.began, p.due = now, now.Add(p.delay(now, restPerInsert))
}

// delay returns how long a batch is gathered from now on. rest is the pause after the latest
// insert, in multiples of the insert's duration.
func (p *batchDelay) delay(now time.Time, rest time.Duration) time.Duration {
	return max(p.opts.BatchAge, min(p.rested(rest).Sub(now), p.opts.BatchPace))
}

func (p *batchDelay) rested(rest time.Duration) time.Time {
	at, took := p.stored()
	return at.Add(rest * took)
}

// added records the arrival of a block, including the first one. ends reports that the block holds
// the end of a stream. Only the first such end changes the delay.
func (p *batchDelay) added(now time.Time, ends bool) {
	p.latest = now
	if !ends {
		return
	}
	p.end = true
	p.due = earlier(p.due, now.Add(p.delay(now, restBeforeEnd)))
}

// next returns when to check the batch again if no more blocks arrive.
func (p *batchDelay) next() time.Time {
	switch {
	case p.end: // the segments of a stream end one after the other
		return earlier(p.due, later(p.latest.Add(p.opts.BatchAge/4), p.rested(restPerInsert)))
	case p.load:
		return earlier(p.due, p.latest.Add(p.opts.BatchAge))
	}
	return p.due
}

// isDue reports whether a batch of the given number of frames is to be stored now.
func (p *batchDelay) isDue(now time.Time, frames int) bool {
	if now.Before(p.next()) {
		return false
	}
	if p.end || p.load {
		return true
	}
	gathered, o := float64(now.Sub(p.began)), p.opts
	if float64(frames)*float64(o.BatchPace) < float64(o.BatchFrames/bulk)*gathered {
		return true
	}
	p.load, p.due = true, p.due.Add(o.BatchPace)
	return !now.Before(p.next())
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
