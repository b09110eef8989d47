package clickhouse

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/replay"
	"tapedeck/schema"
)

// errEnough stops a query that has returned enough bytes.
var errEnough = errors.New("the page is full")

// page holds frames in position order without duplicates: some frames of one stream, or all frames
// of several. The frames alias the page's blocks. A page is reused for queries with the same
// columns.
type page struct {
	frames []replay.Frame
	// generations has the generations of the frames' envelopes; zeros if envelopes are not
	// requested.
	generations []uint64
	blocks      []*columns
	plain       []byte // bytes of packed frames, used instead of blocks
	used        int    // blocks in use
	rows        int    // rows read, including duplicates
	bytes       int    // bytes of raw
	charged     int64  // bytes charged to the reader
	full        bool   // truncated at the byte limit
	sorted      bool
}

func (p *page) reset() {
	p.frames, p.generations, p.used, p.rows, p.bytes, p.full, p.sorted = p.frames[:0], p.generations[:0], 0, 0, 0,
		false, true
}

// block returns columns for the next block.
func (p *page) block() *columns {
	if p.used == len(p.blocks) {
		p.blocks = append(p.blocks, newColumns())
	}
	return p.blocks[p.used]
}

// read fills the page. It reads blocks until there are no more or limit bytes are reached, so that
// frames of unexpected size do not fill the memory. For several streams it reads everything: they
// have ended, and their size is known.
func (p *page) read(ctx context.Context, t *tape, q *pageQuery, limit int) error {
	body, values, err := q.build(t)
	if err != nil {
		return err
	}
	var c *columns
	var results proto.Results
	next := func() {
		c = p.block()
		results = c.results(results[:0], q) // in place, since the running query holds the slice
	}
	restart := func() {
		p.reset()
		next()
	}
	restart()
	err = t.store.do(ctx, ch.Query{
		Body: body, Parameters: values, Settings: q.settings(), Result: results,
		OnResult: func(_ context.Context, b proto.Block) error {
			if b.Rows == 0 {
				return nil
			}
			if err := p.take(c, b.Rows, q); err != nil {
				return err
			}
			if p.bytes >= limit && p.rows < q.rows && !q.bundle() {
				p.full = true
				return errEnough
			}
			p.used++
			next()
			return nil
		},
	}, restart)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && !p.sorted {
		p.sort()
	}
	return err
}

// take converts a block's rows to frames. Of duplicates it keeps the one with the highest
// generation.
func (p *page) take(c *columns, rows int, q *pageQuery) error {
	p.frames = slices.Grow(p.frames, rows)
	stream := q.streams[0]
	for i := range rows {
		if q.bundle() && stream.StreamID != c.stream.Values[i] {
			stream = q.stream(c.stream.Values[i])
		}
		n := len(p.frames)
		p.frames = p.frames[:n+1]
		f := &p.frames[n]
		if err := c.frame(i, stream, q.query.Bare, f); err != nil {
			return err
		}
		p.bytes += len(f.Raw)
		generation := uint64(0)
		if !q.query.Bare {
			generation = c.generation[i]
		}
		p.generations = append(p.generations, generation)
		if n == 0 {
			continue
		}
		switch order := p.frames[n-1].Position().Compare(f.Position()); {
		case order == 0:
			if generation >= p.generations[n-1] {
				p.frames[n-1], p.generations[n-1] = *f, generation
			}
			p.frames, p.generations = p.frames[:n], p.generations[:n]
		case order > 0:
			p.sorted = false
		}
	}
	p.rows += rows
	return nil
}

// stream returns the stream with the given id, which is one of the query's streams.
func (q *pageQuery) stream(id string) *schema.StreamState {
	i := slices.IndexFunc(q.streams, func(s *schema.StreamState) bool { return s.StreamID == id })
	return q.streams[i]
}

// sort sorts frames that arrived part by part or stream by stream, and drops duplicates.
func (p *page) sort() {
	sort.Stable(byPosition{p})
	p.frames = slices.CompactFunc(p.frames, func(a, b replay.Frame) bool { return a.Position() == b.Position() })
	p.sorted = true
}

// byPosition sorts a page's frames, duplicates by descending generation.
type byPosition struct{ *page }

func (p byPosition) Len() int { return len(p.frames) }

func (p byPosition) Less(i, j int) bool {
	if order := p.frames[i].Position().Compare(p.frames[j].Position()); order != 0 {
		return order < 0
	}
	return p.generations[i] > p.generations[j]
}

func (p byPosition) Swap(i, j int) {
	p.frames[i], p.frames[j] = p.frames[j], p.frames[i]
	p.generations[i], p.generations[j] = p.generations[j], p.generations[i]
}

// tally summarises a page.
type tally struct {
	frames, rows, bytes int
	full                bool
	first, last         uint64 // numbers of the first and last frame; 0 if the page is empty
}

func (p *page) tally() tally {
	t := tally{frames: len(p.frames), rows: p.rows, bytes: p.bytes, full: p.full}
	if t.frames > 0 {
		t.first, t.last = p.frames[0].Seq, p.frames[t.frames-1].Seq
	}
	return t
}

// size returns the approximate memory of the page, bytes.
func (p *page) size() int {
	n := cap(p.plain) + frameSize*cap(p.frames)
	for _, c := range p.blocks {
		n += c.size()
	}
	return n
}
