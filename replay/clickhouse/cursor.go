package clickhouse

import (
	"context"
	"fmt"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema"
)

const (
	// A stream's first page is small, since the client waits for it. A short stream that is played
	// slowly is read as a whole, since a second query would cost the server as much.
	firstRows = 64
	fewRows   = 64 // for a first page that the server has to search for, in one block of any size
	// The server reads thousands of rows to return one, so pages are large even if they take long
	// to play.
	pageRows = 4096
	mostRows = 1 << 16 // of any page
	// A page that was played within quickly is followed by a larger page, any other by a page of
	// pageRows and heldBytes. A page that is not needed within quickly is packed.
	quickly   = 250 * time.Millisecond
	heldBytes = 1 << 19
)

// cursor reads one stream page by page, one page ahead, or a bundle of streams as one page. Only
// the goroutine of its reader uses it.
type cursor struct {
	reader *reader
	query  pageQuery    // for the next page
	last   uint64       // the stream's last frame number if known, else the maximum
	weight int          // average bytes per frame so far
	coming chan fetched // nil while no page is requested
	over   bool         // there is no further page
	held   *packed      // the rest of the page if it is packed, else nil
	page   *page
	at     int       // index of the next frame in page
	taken  time.Time // when page was taken
}

// fetched is a page, which is packed if it was not needed for a while.
type fetched struct {
	tally  tally
	page   *page
	packed *packed
	err    error
}

func newCursor(r *reader, s *schema.StreamState) *cursor {
	c := &cursor{reader: r, last: replay.LastSeq(s), weight: int(s.Bytes / max(s.Frames, 1))}
	c.query = pageQuery{streams: []*schema.StreamState{s}, query: &r.query, from: startOf(s, &r.query), rows: firstRows}
	if c.query.dense = c.query.from.at == 0 && r.query.Filter.All(); !c.query.dense {
		c.query.rows = fewRows
	}
	if r.query.Few {
		c.query.rows = 1
	}
	if r.leading {
		c.query.rows = leadFrames
		return c
	}
	if left := c.last - c.query.from.seq; r.query.Paced && c.query.dense && left < pageRows &&
		int(left)*c.weight < heldBytes {
		c.query.rows, c.query.packed = int(left)+1, left >= 2*chunkFrames
	}
	return c
}

// firstAt returns when the first frame of the cursor's streams arrived.
func (c *cursor) firstAt() int64 { return c.query.streams[0].FirstAt }

// empty reports whether the stream is known to have no frame for the query.
func (c *cursor) empty() bool { return c.query.from.at == 0 && c.query.from.seq > c.last }

// startOf returns the bound at which a stream's frames for a query begin.
func startOf(s *schema.StreamState, q *replay.Query) bound {
	from, pos := q.From, q.From.Position
	switch {
	case q.Unseen != nil:
		return bound{seq: max(q.Unseen(s.StreamID), s.FirstSeq)}
	case s.StreamID == pos.StreamID && from.After:
		return bound{seq: pos.Seq + 1}
	case s.StreamID == pos.StreamID:
		return bound{seq: pos.Seq}
	case wholeAfter(s, pos):
		return bound{seq: s.FirstSeq}
	case s.StreamID < pos.StreamID:
		return bound{at: pos.At + 1}
	default:
		return bound{at: pos.At}
	}
}

// wholeAfter reports whether all frames of a stream come after a position of another stream. The
// zero position is before all streams.
func wholeAfter(s *schema.StreamState, pos schema.Position) bool {
	return s.FirstAt > pos.At || s.FirstAt == pos.At && s.StreamID > pos.StreamID
}

// fetch starts reading the next page. The reader waits for it before it closes.
func (c *cursor) fetch() {
	limit := c.reader.pageBytes()
	if c.reader.leading {
		limit = leadBytes
	}
	c.query.rows = max(min(c.query.rows, limit/(c.weight+frameSize)), 1)
	if left := c.last - c.query.from.seq; c.query.dense && left < uint64(c.query.rows) {
		c.query.rows = int(left) + 1
	}
	charge, charged := c.cost()
	query, coming := c.query, make(chan fetched, 1)
	c.coming = coming
	c.reader.fetches.Go(func() {
		got := c.reader.fetch(&query, 2*limit, charge, charged)
		coming <- got
		if got.page != nil {
			c.reader.packUnwanted(coming, query.streams)
		}
	})
}

// cost returns the charge for the next page, and whether it is charged already. If the budget is
// used up, cost reduces the page to fit into the reader's share, if possible, so that the reader
// does not wait.
func (c *cursor) cost() (charge int64, charged bool) {
	of := func() int64 { return costOf(c.query.rows * (c.weight + frameSize)) }
	if c.query.bundle() {
		size := 0
		for _, s := range c.query.streams {
			size += int(s.Bytes) + int(s.Frames)*frameSize
		}
		return costOf(size), c.reader.account.try(costOf(size))
	}
	if c.reader.account.try(of()) {
		return of(), true
	}
	c.query.rows = max(min(c.query.rows, budget.Base/8/(c.weight+frameSize)), 1)
	return of(), c.reader.account.try(of())
}

// fetch reads a page and charges its cost unless it is charged already. It holds no page while it
// waits for a slot, since a thousand playbacks may begin at the same time.
func (r *reader) fetch(query *pageQuery, limit int, charge int64, charged bool) fetched {
	if !charged {
		if err := r.account.need(r.ctx, charge); err != nil {
			return fetched{err: err}
		}
	}
	store := r.tape.store
	if err := store.enter(r.ctx); err != nil {
		return fetched{err: err}
	}
	defer store.leave()
	page := store.newPage()
	if err := page.read(r.ctx, r.tape, query, limit); err != nil {
		return fetched{err: err}
	}
	page.charged = costOf(page.bytes + frameSize*len(page.frames))
	r.account.adjust(page.charged - charge)
	got := fetched{page: page, tally: page.tally()}
	if query.packed && got.tally.frames > 0 {
		return r.pack(got, query.streams)
	}
	return got
}

func (r *reader) pack(got fetched, streams []*schema.StreamState) fetched {
	packed := r.tape.store.pack(got.page, streams)
	packed.charged = packed.size()
	r.account.adjust(packed.charged)
	r.recyclePage(got.page)
	return fetched{tally: got.tally, packed: packed}
}

// mostPacked is the size of a page, bytes, up to which it is packed: packing takes the memory of the
// page several times, which is not charged, and pages are larger only if single frames are.
const mostPacked = 1 << 20

// packUnwanted packs a page that is not taken in time, unless it has large frames.
func (r *reader) packUnwanted(coming chan fetched, streams []*schema.StreamState) {
	wait := time.NewTimer(quickly)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-r.ctx.Done():
		return
	}
	select {
	case got := <-coming:
		if got.page.bytes <= mostPacked {
			got = r.pack(got, streams)
		}
		coming <- got
	default: // the page was taken
	}
}

// frameSize is the approximate memory of a frame besides its bytes.
const frameSize = 300

// ready reports whether take would return without waiting.
func (c *cursor) ready() bool { return c.over || c.held != nil || len(c.coming) > 0 }

// take makes the fetched page the current page and fetches the next page. It returns false if the
// stream has no further frame.
func (c *cursor) take(ctx context.Context) (bool, error) {
	for c.held == nil && !c.over {
		var got fetched
		select {
		case got = <-c.coming:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		c.coming = nil
		if got.err != nil {
			return false, c.failed(got.err)
		}
		usable := c.plan(&got.tally)
		if usable {
			c.taken = time.Now()
		}
		if usable && got.packed != nil {
			c.held = got.packed
			break
		}
		if !c.over && !(usable && c.reader.leading) {
			c.fetch()
		}
		if usable {
			c.page, c.at = got.page, 0
			return true, nil
		}
		if got.page != nil {
			c.reader.recyclePage(got.page)
		}
	}
	if c.held == nil {
		return false, nil
	}
	return true, c.unpack()
}

// unpack reads the next frames of a packed page. It fetches the next page when a quarter is left,
// since an earlier fetch would only occupy memory.
func (c *cursor) unpack() error {
	c.page, c.at = c.reader.newWindow(), 0
	if err := c.held.unpack(c.page); err != nil {
		return c.failed(err)
	}
	if !c.over && c.coming == nil && 4*c.held.left() <= len(c.held.chunks) {
		c.fetch()
	}
	if c.held.left() == 0 {
		c.reader.account.adjust(-c.held.charged)
		c.held = nil
	}
	return nil
}

func (c *cursor) failed(err error) error {
	return fmt.Errorf("frames of stream %s: %w", c.query.streams[0].StreamID, err)
}

// plan sets the query for the page after p, and reports whether p can be used.
func (c *cursor) plan(p *tally) (usable bool) {
	q, n := &c.query, p.frames
	if n > 0 {
		c.weight = p.bytes / n
	}
	switch {
	case q.bundle():
		c.over = true
		return n > 0
	case q.dense && p.full: // the rows are not sorted, so they need not be the first frames
		q.dense = false
		return false
	case q.dense: // missing frames may be a gap or the end
		q.from.seq += uint64(q.rows)
		q.dense = n == q.rows
	case !p.full && p.rows < q.rows:
		c.over = true
		return n > 0
	default:
		q.from = bound{seq: p.last + 1}
		q.dense = q.query.Filter.All() && p.last-p.first == uint64(n-1)
	}
	if c.empty() {
		c.over = true
		return n > 0
	}
	switch {
	case q.query.Few && c.taken.IsZero(): // the caller may not need more
	case !c.taken.IsZero() && time.Since(c.taken) < quickly:
		q.rows = min(4*max(q.rows, firstRows), mostRows)
	case q.dense:
		q.rows = max(min(pageRows, heldBytes/(c.weight+1)), fewRows)
	default: // the server may have to search for rows
		q.rows = max(min(8*q.rows, pageRows, heldBytes/(c.weight+1)), fewRows)
	}
	return n > 0
}

// head returns the next frame.
func (c *cursor) head() *replay.Frame { return &c.page.frames[c.at] }

// rest returns the frames that can be read without waiting.
func (c *cursor) rest() []replay.Frame { return c.page.frames[c.at:] }
