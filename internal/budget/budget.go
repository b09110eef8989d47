// Package budget bounds the bytes that the readers, and the writers, of recordings hold in memory in
// a process, and the number of readers.
//
// Enter admits a reader and charges Base for it, the memory of an ordinary playback. Write returns
// the grant of a writer, which is charged for large frames only. Before a holder of a grant holds
// more, it calls Grant.Need, which waits for some time if the budget is used up. To prevent
// deadlocks between holders that wait for more, one grant at a time may exceed the budget. In this
// way a frame that is larger than the budget can also be read or recorded. So the bytes in use are
// at most the limit plus the need of one holder.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/memorylimit"
	"tapedeck/internal/problem"
)

// Defaults of Options.
const (
	Bytes   = 1 << 30
	Readers = 2000
	// Base is the minimum charge of a reader, bytes.
	Base = 256 << 10
)

// Options configures a budget. Zero values select the defaults.
type Options struct {
	Bytes   int64         // of all grants together; default Bytes
	Readers int           // concurrent readers; default Readers
	Wait    time.Duration // how long Grant.Need waits for bytes; default 5 s
}

// Names of the limits, which equal the names of the flags.
const (
	readersLimit = "max-readers"
	bytesLimit   = "max-reader-bytes"
	writersLimit = "max-writer-bytes"
)

// Budget is shared by all readers, or by all writers, of a process. It is a prometheus.Collector.
type Budget struct {
	opts    Options
	writers bool // the budget is of writers
	refused *prometheus.CounterVec

	mu      sync.Mutex // guards the fields below
	readers int
	used    int64
	garbage int64      // the part of used that was released and is not collected yet
	over    *Grant     // the grant that exceeds the budget; nil if none does
	waiting []*request // in order of arrival
}

// request is a number of bytes that a grant waits for.
type request struct {
	grant *Grant
	bytes int64
	ready chan struct{} // closed once the grant has the bytes
}

// New returns a budget of readers.
func New(opts Options) *Budget {
	opts.Bytes = cmp.Or(opts.Bytes, Bytes)
	opts.Readers = cmp.Or(opts.Readers, Readers)
	opts.Wait = cmp.Or(opts.Wait, 5*time.Second)
	b := &Budget{opts: opts, refused: refusedTotal.CounterVec()}
	for _, limit := range []string{readersLimit, bytesLimit} {
		b.refused.WithLabelValues(limit)
	}
	return b
}

// Grant is the share of one reader or writer in the budget. It is safe for use by many goroutines.
// The methods of a nil grant do nothing: its holder is not bounded.
type Grant struct {
	budget *Budget
	// Guarded by the budget's mu.
	reader  bool  // the grant counts as a reader
	base    int64 // minimum charge, even if less is held
	held    int64
	charged int64
	closed  bool
}

// Enter admits a reader. The error is a *problem.Problem with status 503.
func (b *Budget) Enter() (*Grant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.readers >= b.opts.Readers {
		return nil, b.problem(readersLimit, fmt.Sprintf("All %d readers that this server serves at a time are "+
			"in use (playbacks, pages, exports, emulations).", b.opts.Readers))
	}
	g := &Grant{budget: b, reader: true, base: min(Base, b.opts.Bytes)}
	if b.readers > 0 && b.used+g.base > b.opts.Bytes {
		return nil, b.full()
	}
	b.readers++
	b.charge(g)
	return g, nil
}

// Shared returns a grant for memory that several readers share. It does not count as a reader,
// never waits, is charged by Adjust only, and is not closed. A nil budget returns nil.
func (b *Budget) Shared() *Grant {
	if b == nil {
		return nil
	}
	return &Grant{budget: b}
}

func (b *Budget) full() *problem.Problem {
	if b.writers {
		return b.writersFull()
	}
	return b.problem(bytesLimit, fmt.Sprintf("Readers hold the %d bytes of recordings that this server keeps in "+
		"memory for them (playbacks, pages, exports, emulations).", b.opts.Bytes))
}

func (b *Budget) problem(limit, detail string) *problem.Problem {
	b.refused.WithLabelValues(limit).Inc()
	return &problem.Problem{
		Title: "Too many readers", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second, Limit: limit,
		Detail: detail, Hint: "Try again later, or start the server with a larger --" + limit + ".",
	}
}

// charge charges a grant for what it holds, and at least for its base. b.mu is held.
func (b *Budget) charge(g *Grant) {
	charged := max(g.base, g.held)
	if g.closed {
		charged = 0
	}
	more := charged - g.charged
	g.charged = charged
	if more < 0 && memorylimit.AfterCollection(-more, func() { b.collected(-more) }) {
		b.garbage -= more
		return
	}
	b.used += more
	b.settle(more < 0)
}

// collected subtracts what was released and is collected now.
func (b *Budget) collected(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.garbage -= n
	b.used -= n
	b.settle(true)
}

// settle serves waiting requests if bytes are free. b.mu is held.
func (b *Budget) settle(freed bool) {
	if b.over != nil && (b.over.closed && b.garbage == 0 || b.used <= b.opts.Bytes) {
		b.over, freed = nil, true
	}
	if freed {
		b.serve()
	}
}

// fits reports whether the budget has room for n more bytes for a grant. b.mu is held.
func (b *Budget) fits(g *Grant, n int64) bool {
	more := max(g.base, g.held+n) - g.charged
	return more <= 0 || b.used+more <= b.opts.Bytes
}

// take adds bytes to a grant, beyond the budget if no other grant exceeds it. It returns false if
// the grant has to wait. b.mu is held.
func (b *Budget) take(g *Grant, n int64) bool {
	if !b.fits(g, n) {
		if b.over != nil && b.over != g {
			return false
		}
		b.over = g
	}
	g.held += n
	b.charge(g)
	return true
}

// serve grants waiting requests in order, until one has to wait further. b.mu is held.
func (b *Budget) serve() {
	for len(b.waiting) > 0 {
		w := b.waiting[0]
		if !w.grant.closed && !b.take(w.grant, w.bytes) {
			return
		}
		close(w.ready)
		b.waiting = b.waiting[1:]
	}
}

// Need adds n bytes to what the holder of the grant holds. It waits while the budget is used up; the
// error is a *problem.Problem with status 503 if that takes longer than Options.Wait, or
// the cause of the end of ctx.
func (g *Grant) Need(ctx context.Context, n int64) error {
	if g == nil || n <= 0 {
		return nil
	}
	b := g.budget
	b.mu.Lock()
	if g.closed || (len(b.waiting) == 0 || b.fits(g, n) && g.held+n <= g.base || b.over == g) && b.take(g, n) {
		b.mu.Unlock()
		return nil
	}
	w := &request{grant: g, bytes: n, ready: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	memorylimit.Collect()
	timeout := time.NewTimer(b.opts.Wait)
	defer timeout.Stop()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timeout.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.waiting {
		if b.waiting[i] == w {
			b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
			if err == nil {
				err = b.full()
			}
			return err
		}
	}
	return nil // granted at the last moment
}

// Reserve raises the reader's minimum charge to n bytes, so that the reader does not wait for these
// bytes later. It waits as Need does.
func (g *Grant) Reserve(ctx context.Context, n int64) error {
	if g == nil || n <= g.base {
		return nil
	}
	if err := g.Need(ctx, n); err != nil {
		return err
	}
	g.budget.mu.Lock()
	defer g.budget.mu.Unlock()
	g.base = n
	g.held -= n
	g.budget.charge(g)
	return nil
}

// Try is like Need but does not wait or exceed the budget. It returns false if there is not enough
// room.
func (g *Grant) Try(n int64) bool {
	if g == nil {
		return true
	}
	b := g.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if !g.closed && !b.fits(g, n) {
		return false
	}
	g.held += n
	b.charge(g)
	return true
}

// Adjust changes what the holder holds by n bytes without waiting, once the actual size is known.
func (g *Grant) Adjust(n int64) {
	if g == nil || n == 0 {
		return
	}
	g.budget.mu.Lock()
	defer g.budget.mu.Unlock()
	g.held += n
	g.budget.charge(g)
}

// Close releases everything that the grant holds. It may be called again.
func (g *Grant) Close() {
	if g == nil {
		return
	}
	g.budget.mu.Lock()
	defer g.budget.mu.Unlock()
	if !g.closed {
		g.closed = true
		if g.reader {
			g.budget.readers--
		}
		g.budget.charge(g)
	}
}

type key struct{}

// With returns a context with a reader's grant.
func With(ctx context.Context, g *Grant) context.Context { return context.WithValue(ctx, key{}, g) }

// Of returns the grant of a context, nil if it has none.
func Of(ctx context.Context) *Grant {
	g, _ := ctx.Value(key{}).(*Grant)
	return g
}
