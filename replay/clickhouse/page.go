package clickhouse

import (
	"context"
	"errors"
	"slices"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/replay"
)

// errEnough stops a query that has given enough bytes.
var errEnough = errors.New("the page is full")

// page is some frames of one stream in order, each once. Its frames alias its
// blocks. It is reused.
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
func (p *page) block(bare bool) *columns {
	if p.used == len(p.blocks) {
		p.blocks = append(p.blocks, newColumns(bare))
	}
	return p.blocks[p.used]
}

// read fills the page. It takes blocks until there are no more or limit bytes
// are reached, so that frames of unexpected size do not fill the memory.
func (p *page) read(ctx context.Context, t *tape, q *pageQuery, limit int) error {
	body, values, err := q.build(t)
	if err != nil {
		return err
	}
	var c *columns
	results := newColumns(q.query.Bare).results()
	next := func() {
		c = p.block(q.query.Bare)
		copy(results, c.results())
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
			if p.bytes >= limit && p.rows < q.rows {
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

// take makes a block's rows frames.
func (p *page) take(c *columns, rows int, q *pageQuery) error {
	p.frames = slices.Grow(p.frames, rows)
	for i := range rows {
		n := len(p.frames)
		if n > 0 && c.seq[i] <= p.frames[n-1].Seq {
			if c.seq[i] < p.frames[n-1].Seq {
				p.sorted = false
			} else {
				n-- // a repeat: the later one stands
			}
		}
		p.frames = p.frames[:n+1]
		if err := c.frame(i, q.stream, &p.frames[n]); err != nil {
			return err
		}
		p.bytes += len(p.frames[n].Raw)
	}
	p.rows += rows
	return nil
}

// sort puts frames in order that came part by part, and drops repeats.
func (p *page) sort() {
	slices.SortStableFunc(p.frames, func(a, b replay.Frame) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return 0
	})
	p.frames = slices.CompactFunc(p.frames, func(a, b replay.Frame) bool { return a.Seq == b.Seq })
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
