package clickhouse

import (
	"container/heap"
	"context"
	"io"
	"sync"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema"
)

const (
	lookahead  = 4   // number of streams whose first page is read ahead
	overlapped = 512 // frames per batch if streams overlap
	run        = 32  // runs of at least this many frames of one stream are not copied
)

// reader merges a session's streams in position order. It opens a stream when playing reaches the
// stream's first frame, and prefetches the next few streams.
type reader struct {
	tape    *tape
	query   replay.Query
	ctx     context.Context // context of the fetches; ends at Close
	cancel  context.CancelFunc
	fetches sync.WaitGroup

	coming  []*cursor // cursors that are not joined, by the time of their first frame
	fetched int       // how many of coming are being read
	ahead   int       // how many of coming to read
	joined  heads     // joined cursors that have a frame
	starved *cursor   // joined cursor that waits for its next page
	out     []replay.Frame
	retired []*page // in use until the next call of Next
	windows []*page // for unpacked frames
	// leading is set for a reader that returns the first frames only, in as few statements as
	// possible. It returns errLeadEnd where it would read a second page of a stream.
	leading bool

	account account
}

func newReader(t *tape, q replay.Query, grant *budget.Grant) *reader {
	r := &reader{tape: t, query: q, ahead: 2, account: account{grant: grant}}
	r.start()
	return r
}

// start begins to read.
func (r *reader) start() {
	q := r.query
	if q.Few || r.leading {
		r.ahead = 1
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.coming = r.cursors(q)
	r.prepare()
}

// prepare starts reading the next streams: few at first, since the client waits for the first
// frame.
func (r *reader) prepare() {
	for r.fetched < min(r.ahead, len(r.coming)) {
		r.coming[r.fetched].fetch()
		r.fetched++
	}
}

// Next implements replay.Reader.
func (r *reader) Next(ctx context.Context) ([]replay.Frame, error) {
	r.recycle()
	r.out = r.out[:0]
	for len(r.out) < overlapped {
		if more, err := r.gather(ctx); err != nil {
			return nil, err
		} else if !more {
			break // no more frames without waiting
		}
		if len(r.joined) == 0 {
			if len(r.out) == 0 {
				return nil, io.EOF
			}
			break
		}
		c := r.joined[0]
		frames := r.usable(c.rest())
		if len(frames) == 0 { // all remaining frames are after To
			r.retire(c.page)
			heap.Pop(&r.joined)
			continue
		}
		if len(r.out) == 0 && len(frames) >= run {
			r.advance(c, len(frames))
			return frames, nil
		}
		r.out = append(r.out, frames...)
		r.advance(c, len(frames))
	}
	return r.out, nil
}

// gather ensures that the next frame is among the joined streams. It returns false if it would have
// to wait although there are frames to return.
func (r *reader) gather(ctx context.Context) (bool, error) {
	if c := r.starved; c != nil {
		if r.leading && len(r.out) == 0 {
			return false, errLeadEnd
		}
		if len(r.out) > 0 && !c.ready() {
			return false, nil
		}
		if err := r.join(ctx, c); err != nil {
			return false, err
		}
		r.starved = nil
	}
	for len(r.coming) > 0 && (len(r.joined) == 0 || r.coming[0].firstAt() <= r.joined[0].head().At) {
		c := r.coming[0]
		if len(r.out) > 0 && !c.ready() {
			return false, nil
		}
		if err := r.join(ctx, c); err != nil {
			return false, err
		}
		r.coming = r.coming[1:]
		r.fetched--
		if !r.leading {
			r.ahead = lookahead
		}
		r.prepare()
	}
	return true, nil
}

// join takes a stream's next page and adds the stream to the heap.
func (r *reader) join(ctx context.Context, c *cursor) error {
	more, err := c.take(ctx)
	if more {
		heap.Push(&r.joined, c)
	}
	return err
}

// usable returns the frames of the first joined stream that precede the frames of all other
// streams.
func (r *reader) usable(frames []replay.Frame) []replay.Frame {
	limit, limited := r.query.To, !r.query.To.IsZero()
	lower := func(p schema.Position) {
		if !limited || p.Compare(limit) < 0 {
			limit, limited = p, true
		}
	}
	// The second smallest element of a heap is one of the two below its top.
	for _, c := range r.joined[1:min(3, len(r.joined))] {
		lower(c.head().Position())
	}
	if len(r.coming) > 0 {
		lower(schema.Position{At: r.coming[0].firstAt()})
	}
	if !limited {
		return frames
	}
	n := 0
	for n < len(frames) && (frames[n].At < limit.At || frames[n].Position().Compare(limit) <= 0) {
		n++
	}
	return frames[:n]
}

// advance records that n frames of the first joined stream were returned.
func (r *reader) advance(c *cursor, n int) {
	if c.at += n; c.at < len(c.page.frames) {
		heap.Fix(&r.joined, 0)
		return
	}
	r.retire(c.page)
	heap.Pop(&r.joined)
	if !c.over || c.held != nil {
		r.starved = c
	}
}

// pageBytes returns the maximum size of a page for the current number of streams.
func (r *reader) pageBytes() int {
	pages := 2 * (len(r.joined) + r.fetched + 1)
	return max(r.tape.store.opts.PageBytes/pages, 1<<16)
}

// newWindow returns a page for frames that were packed.
func (r *reader) newWindow() *page {
	n := len(r.windows)
	if n == 0 {
		return &page{}
	}
	w := r.windows[n-1]
	r.windows = r.windows[:n-1]
	return w
}

// retire recycles a page after the frames returned from it become invalid.
func (r *reader) retire(p *page) { r.retired = append(r.retired, p) }

// recycle recycles the retired pages.
func (r *reader) recycle() {
	for _, p := range r.retired {
		if p.blocks == nil {
			r.windows = append(r.windows, p)
		} else {
			r.recyclePage(p)
		}
	}
	clear(r.retired)
	r.retired = r.retired[:0]
}

// Close implements replay.Reader.
func (r *reader) Close() error {
	r.cancel()
	r.fetches.Wait()
	r.account.close()
	return nil
}

// heads is a heap of cursors by their next frame.
type heads []*cursor

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].head().Position().Compare(h[j].head().Position()) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(c any)        { *h = append(*h, c.(*cursor)) }
func (h *heads) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	*h = (*h)[:last]
	return c
}
