package clickhouse

import (
	"context"
	"sync"

	"tapedeck/internal/budget"
)

// account tracks the bytes for which a reader's pages are charged to the budget. A page is charged
// twice its size, since playing copies its frames to send them.
type account struct {
	grant *budget.Grant

	mu   sync.Mutex // guards the fields below
	held int64
}

// costOf returns the charge for frames of n bytes.
func costOf(bytes int) int64 { return 2 * int64(bytes) }

// try charges n bytes if the budget has them.
func (a *account) try(n int64) bool {
	if !a.grant.Try(n) {
		return false
	}
	a.note(n)
	return true
}

// need charges n bytes, and waits until the budget has them.
func (a *account) need(ctx context.Context, n int64) error {
	err := a.grant.Need(ctx, n)
	if err == nil {
		a.note(n)
	}
	return err
}

// adjust charges n bytes more, or fewer if n is negative.
func (a *account) adjust(n int64) {
	a.grant.Adjust(n)
	a.note(n)
}

func (a *account) note(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held += n
}

// close releases all charges. The account is not used afterwards.
func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grant.Adjust(-a.held)
	a.held = 0
}

// recyclePage recycles a page and releases its charge.
func (r *reader) recyclePage(p *page) {
	r.account.adjust(-p.charged)
	p.charged = 0
	r.tape.store.recycle(p)
}
