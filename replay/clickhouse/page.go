package clickhouse

import (
	"context"
	"errors"
	"slices"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/replay"
	"tapedeck/schema"
)

// errEnough stops a query that has given enough bytes.
var errEnough = errors.New("the page is full")

// page is some frames in position order, each once: of one stream, or all those
// of several. Its frames alias its blocks. It is reused, for queries that have
// the same columns.
type page struct {
	frames []replay.Frame
	blocks []*columns
	used   int  // blocks in use
	rows   int  // rows read, repeats included
	bytes  int  // of raw
	full   bool // cut short, since it had enough bytes
	sorted bool
}

func (p *page) reset() {
	p.frames, p.used, p.rows, p.bytes, p.full, p.sorted = p.frames[:0], 0, 0, 0, false, true
}

// block gives columns for the next block.
func (p *page) block() *columns {
	if p.used == len(p.blocks) {
		p.blocks = append(p.blocks, newColumns())
	}
	return p.blocks[p.used]
}

// read fills the page. It takes blocks until there are no more or limit bytes
// are reached, so that frames of unexpected size do not fill the memory. Of
// several streams it takes everything: they have ended, and their size is known.
func (p *page) read(ctx context.Context, t *tape, q *pageQuery, limit int) error {
	body, values, err := q.build(t)
	if err != nil {
		return err
	}
	var c *columns
	var results proto.Results
	next := func() {
		c = p.block()
		results = c.results(results[:0], q) // in place: the query under way holds the slice
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

// take makes a block's rows frames. Of a repeat the later row stands.
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
		if n == 0 {
			continue
		}
		switch order := p.frames[n-1].Position().Compare(f.Position()); {
		case order == 0:
			p.frames[n-1] = *f
			p.frames = p.frames[:n]
		case order > 0:
			p.sorted = false
		}
	}
	p.rows += rows
	return nil
}

// stream gives the stream with this id, which is one of the query's.
func (q *pageQuery) stream(id string) *schema.StreamState {
	i := slices.IndexFunc(q.streams, func(s *schema.StreamState) bool { return s.StreamID == id })
	return q.streams[i]
}

// sort puts frames in order that came part by part or stream by stream, and
// drops repeats.
func (p *page) sort() {
	slices.SortStableFunc(p.frames, func(a, b replay.Frame) int { return a.Position().Compare(b.Position()) })
	p.frames = slices.CompactFunc(p.frames, func(a, b replay.Frame) bool { return a.Position() == b.Position() })
	p.sorted = true
}

// dense reports whether the page holds every number from its first to its last.
func (p *page) dense() bool {
	n := len(p.frames)
	return n > 0 && p.frames[n-1].Seq-p.frames[0].Seq == uint64(n-1)
}

// size is about how many bytes the page holds on to.
func (p *page) size() int {
	n := 0
	for _, c := range p.blocks {
		n += c.size()
	}
	return n
}
