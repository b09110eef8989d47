package sink

import "time"

// batchDelay decides when a batch that is not full is stored. It does not read the clock: its
// callers pass the times. How long ClickHouse takes for inserts has no influence: if a bulk
// recording makes all inserts slow, a small stream would wait for several times as long.
type batchDelay struct {
	opts  *Options
	apart time.Duration // least time from one batch to the next

	began, latest time.Time // arrival of the batch's first and latest block
	stored        time.Time // when the batch before was passed to the inserter
	due           time.Time // latest time at which the batch is stored
	end           bool      // the batch holds the end of a stream, which a reader may be waiting for
	load          bool      // blocks arrive at the rate of a bulk load
}

const (
	// bulk defines a bulk load: more than one in bulk of a full batch arrives within BatchPace. A
	// bulk load is gathered for longer, since few large inserts leave ClickHouse less to merge. A
	// batch of at least this size is inserted over two connections.
	bulk = 6
	// together is the part of BatchAge within which blocks belong together: the first blocks of a
	// batch after a pause, and the last blocks of a stream.
	together = 4
)

// begin starts a batch with its first block. After a pause the blocks that arrive together are stored
// at once.
func (p *batchDelay) begin(now time.Time) {
	p.end, p.load = false, false
	p.began, p.due = now, later(now.Add(p.opts.BatchAge/together), p.stored.Add(p.apart))
}

// added records the arrival of a block, including the first one. ends reports that the block holds
// the end of a stream.
func (p *batchDelay) added(now time.Time, ends bool) {
	p.latest = now
	p.end = p.end || ends
}

// next returns when to check the batch again if no more blocks arrive.
func (p *batchDelay) next() time.Time {
	switch {
	case p.end: // the segments of a stream end one after the other
		return earlier(p.due, p.latest.Add(p.opts.BatchAge/together))
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
	p.load, p.due = true, p.began.Add(2*o.BatchPace)
	return !now.Before(p.next())
}

// passed records that the batch was passed to the inserter.
func (p *batchDelay) passed(now time.Time) { p.stored = now }

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
