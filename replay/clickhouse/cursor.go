package clickhouse

import (
	"context"
	"fmt"
	"math"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

const (
	firstRows = 256     // of a stream's first page: little, since somebody waits for it
	fewRows   = 64      // of a first page that has to be looked for, in one block of whatever size
	mostRows  = 1 << 16 // of any page
	// A page that was played within quickly is followed by larger ones, one that
	// lasted longer than slowly by smaller ones: a slow playback holds little.
	quickly = 250 * time.Millisecond
	slowly  = 10 * time.Second
)

// cursor reads one stream page by page, one page ahead, or a bundle of streams
// in one page. It belongs to a reader and to the goroutine of that.
type cursor struct {
	reader *reader
	query  pageQuery // of the page that is coming
	last   uint64    // the stream's last number, as far as is known; else the greatest
	weight int       // bytes of a frame on average, so far
	coming chan fetched
	over   bool // no page is to come
	page   *page
	at     int       // the next frame of page
	taken  time.Time // when page was
}

type fetched struct {
	page *page
	err  error
}

func newCursor(r *reader, s *schema.StreamState) *cursor {
	c := &cursor{reader: r, last: lastSeq(s), weight: int(s.Bytes / max(s.Frames, 1))}
	c.query = pageQuery{streams: []*schema.StreamState{s}, query: &r.query, from: startOf(s, r.query.From), rows: firstRows}
	if c.query.dense = c.query.from.at == 0 && r.query.Filter.All(); !c.query.dense {
		c.query.rows = fewRows
	}
	if r.query.Few {
		c.query.rows = 1
	}
	return c
}

// firstAt is when the first frame of the cursor's streams arrived.
func (c *cursor) firstAt() int64 { return c.query.streams[0].FirstAt }

// empty reports whether the stream is known to have no frame for the query.
func (c *cursor) empty() bool { return c.query.from.at == 0 && c.query.from.seq > c.last }

// lastSeq reads the number of a stream's last frame off its version.
func lastSeq(s *schema.StreamState) uint64 {
	if end := s.Version / 2; end >= s.FirstSeq+s.Frames {
		return end - 1
	}
	return math.MaxUint64 // the version was made otherwise
}

// startOf is where a stream's frames begin that do not come before a place.
func startOf(s *schema.StreamState, from replay.Place) bound {
	pos := from.Position
	switch {
	case s.StreamID == pos.StreamID && from.After:
		return bound{seq: pos.Seq + 1}
	case s.StreamID == pos.StreamID:
		return bound{seq: pos.Seq}
	case s.FirstAt > pos.At:
		return bound{seq: s.FirstSeq}
	case s.StreamID < pos.StreamID:
		return bound{at: pos.At + 1}
	default:
		return bound{at: pos.At}
	}
}

// fetch has the next page read. The reader waits for it before it closes.
func (c *cursor) fetch() {
	limit := c.reader.pageBytes()
	c.query.rows = max(min(c.query.rows, limit/(c.weight+frameSize)), 1)
	if left := c.last - c.query.from.seq; c.query.dense && left < uint64(c.query.rows) {
		c.query.rows = int(left) + 1
	}
	query, page, coming := c.query, c.reader.newPage(), make(chan fetched, 1)
	c.coming = coming
	c.reader.fetches.Go(func() {
		err := page.read(c.reader.ctx, c.reader.tape, &query, 2*limit)
		coming <- fetched{page, err}
	})
}

// frameSize is about what a frame takes besides its bytes.
const frameSize = 300

// ready reports whether take would not wait.
func (c *cursor) ready() bool { return c.over || len(c.coming) > 0 }

// take makes the page that is coming the current one and fetches the one after
// it. It reports false where the stream has no further frame.
func (c *cursor) take(ctx context.Context) (bool, error) {
	for !c.over {
		var got fetched
		select {
		case got = <-c.coming:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		if got.err != nil {
			return false, fmt.Errorf("frames of stream %s: %w", c.query.streams[0].StreamID, got.err)
		}
		usable := c.plan(got.page)
		if !c.over {
			c.fetch()
		}
		if usable {
			c.page, c.at, c.taken = got.page, 0, time.Now()
			return true, nil
		}
		c.reader.retire(got.page)
	}
	return false, nil
}

// plan settles what is read after p, and whether p is of use.
func (c *cursor) plan(p *page) (usable bool) {
	q, n := &c.query, len(p.frames)
	if n > 0 {
		c.weight = p.bytes / n
	}
	switch {
	case q.bundle():
		c.over = true
		return n > 0
	case q.dense && p.full: // in no order: not the first ones
		q.dense = false
		return false
	case q.dense: // anything missing may be a gap or the end
		q.from.seq += uint64(q.rows)
		q.dense = n == q.rows
	case !p.full && p.rows < q.rows:
		c.over = true
		return n > 0
	default:
		q.from = bound{seq: p.frames[n-1].Seq + 1}
		q.dense = q.query.Filter.All() && p.dense()
	}
	if c.empty() {
		c.over = true
		return n > 0
	}
	if !c.taken.IsZero() {
		switch lasted := time.Since(c.taken); {
		case lasted < quickly:
			q.rows = min(4*max(q.rows, firstRows/4), mostRows)
		case lasted > slowly:
			q.rows = max(q.rows/4, firstRows)
		}
	}
	return n > 0
}

// head is the next frame.
func (c *cursor) head() *replay.Frame { return &c.page.frames[c.at] }

// rest are the frames at hand.
func (c *cursor) rest() []replay.Frame { return c.page.frames[c.at:] }
