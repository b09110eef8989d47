package sink

import "time"

// batchDelay decides when a batch that is not full is stored. It does not read the clock: its
// callers pass the times.
type batchDelay struct {
	opts *Options
	bulk bool // the batch has bulk recordings only, which nobody waits for block by block
	// stored returns the time at which the latest insert ended, and how long ClickHouse worked on
	// it.
	stored func() (at time.Time, took time.Duration)

	began, latest time.Time // arrival of the batch's first and latest block
	due           time.Time // latest time at which the batch is stored
	end           bool      // the batch holds the end of a stream, which a reader may be waiting for
	load          bool      // frames arrive at the rate of a bulk load
	heavy         bool      // bytes of bulk recordings arrive at that rate
	grown         int       // by how many doublings the next batch may be larger: see enough
}

// bulk defines a bulk load: more than one in bulk of a full batch arrives within BatchPace. A bulk
// load is gathered for longer, since few large inserts leave ClickHouse less to merge. A batch of
// at least this size is inserted over two connections.
const bulk = 6

// heavyPaces is the longest time for which bytes at the rate of a bulk load are gathered, in
// multiples of BatchPace. Merges take ClickHouse more of its time than inserts do if each insert has
// a few megabytes of long texts.
const heavyPaces = 6

// The minimum pause after an insert, in multiples of the insert's duration: in general, and before
// the end of a stream is stored.
const (
	restPerInsert = 4
	restBeforeEnd = 1
)

// begin starts a batch with its first block.
func (p *batchDelay) begin(now time.Time) {
	p.end, p.load, p.heavy = false, false, false
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
	case p.heavy:
		return earlier(p.began.Add(heavyPaces*p.opts.BatchPace), p.latest.Add(p.opts.BatchAge))
	case p.end: // the segments of a stream end one after the other
		return earlier(p.due, later(p.latest.Add(p.opts.BatchAge/4), p.rested(restPerInsert)))
	case p.load:
		return earlier(p.due, p.latest.Add(p.opts.BatchAge))
	}
	return p.due
}

// isDue reports whether a batch of the given numbers of frames and bytes of messages is to be stored
// now.
func (p *batchDelay) isDue(now time.Time, frames, held int) bool {
	if !p.isOver(now, frames, held) {
		return false
	}
	p.grown = 0 // the load was not enough to fill the batch
	return true
}

// isOver reports whether the time for which the batch is gathered is over.
func (p *batchDelay) isOver(now time.Time, frames, held int) bool {
	if now.Before(p.next()) {
		return false
	}
	if p.bulk && !p.heavy && p.isBulk(now, held, p.opts.batchMessages()) {
		p.heavy = true
		return !now.Before(p.next())
	}
	if p.heavy || p.end || p.load || !p.isBulk(now, frames, p.opts.BatchFrames) {
		return true
	}
	p.load, p.due = true, p.due.Add(p.opts.BatchPace)
	return !now.Before(p.next())
}

// doublings is the number of batches of a load of bytes until a batch is half full.
const doublings = 2

// enough reports whether a batch of bulk recordings has so many bytes of messages that it is stored
// once ClickHouse is free. The first batch of a load is an eighth of a full one, so that ClickHouse is
// not idle for long, and each further one is twice as large, up to a half.
func (p *batchDelay) enough(held int) bool {
	if !p.bulk || held < p.opts.batchMessages()>>(1+doublings-p.grown) {
		return false
	}
	p.grown = min(p.grown+1, doublings)
	return true
}

// isBulk reports whether n of the full that fill a batch is the rate of a bulk load.
func (p *batchDelay) isBulk(now time.Time, n, full int) bool {
	return float64(n)*float64(p.opts.BatchPace) >= float64(full/bulk)*float64(now.Sub(p.began))
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
