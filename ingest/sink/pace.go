package sink

import "time"

// pace says when a batch that does not fill is stored. It is told what comes and
// what time it is.
type pace struct {
	opts *Options
	// stored tells when the latest insert was done, and for how long ClickHouse worked on it.
	stored func() (at time.Time, took time.Duration)

	began, latest time.Time // when the batch's first block came, and its latest
	due           time.Time // when it is stored at the latest
	end           bool      // the end of a stream is among it: somebody waits for that
	load          bool      // it comes faster than anybody follows
}

// bulk is the part of a batch, one in so many, that comes within BatchPace where it
// is a load rather than something that somebody follows: that is gathered for longer,
// since few large inserts leave ClickHouse less to merge. An insert of as much goes
// over two connections.
const bulk = 6

// How long the sink rests for the time that an insert took, and where the end of
// a stream waits.
const (
	restPerInsert = 4
	restBeforeEnd = 1
)

// begin starts with the first block of a batch.
func (p *pace) begin(now time.Time) {
	p.end, p.load = false, false
	p.began, p.due = now, now.Add(p.patience(now, restPerInsert))
}

// patience is how long a batch is gathered from now on. rest is how many times as
// long as the latest insert took the sink rests after it.
func (p *pace) patience(now time.Time, rest time.Duration) time.Duration {
	return max(p.opts.BatchAge, min(p.rested(rest).Sub(now), p.opts.BatchPace))
}

func (p *pace) rested(rest time.Duration) time.Time {
	at, took := p.stored()
	return at.Add(rest * took)
}

// came tells of a block, also of the first; ends, that it tells the end of a
// stream. Ends that keep coming do not put the batch off.
func (p *pace) came(now time.Time, ends bool) {
	p.latest = now
	if !ends {
		return
	}
	p.end = true
	p.due = earlier(p.due, now.Add(p.patience(now, restBeforeEnd)))
}

// next is when to look at the batch if nothing more comes.
func (p *pace) next() time.Time {
	switch {
	case p.end: // the parts of a stream end one after the other
		return earlier(p.due, later(p.latest.Add(p.opts.BatchAge/4), p.rested(restPerInsert)))
	case p.load:
		return earlier(p.due, p.latest.Add(p.opts.BatchAge))
	}
	return p.due
}

// ripe reports whether a batch of so many frames is to be stored.
func (p *pace) ripe(now time.Time, frames int) bool {
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
