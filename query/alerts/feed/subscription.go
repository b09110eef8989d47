package feed

import (
	"tapedeck/query/alerts"
)

// waiting bounds how many changes wait for a subscription.
const waiting = 256

// Subscription receives the changes of a tenant. It is for one goroutine.
type Subscription struct {
	// Changes has the changes that are stored from now on, in the order in which they can be read. Those that are stored
	// at this moment may be there, and be stored too.
	Changes <-chan alerts.Change
	// Slow is closed if more changes wait than the subscription takes. No change follows.
	Slow <-chan struct{}

	tenant  string
	reading *reading
	changes chan alerts.Change
	slow    chan struct{}
	at      *Position
}

// newSubscription returns a subscription. feed.mu is held.
func newSubscription(r *reading, tenant string) *Subscription {
	s := &Subscription{tenant: tenant, reading: r, changes: make(chan alerts.Change, waiting), slow: make(chan struct{}), at: &Position{}}
	s.Changes, s.Slow = s.changes, s.slow
	for c, of := range r.recent {
		if of == tenant {
			s.at.Add(c.version)
		}
	}
	s.at.Add(r.newest)
	return s
}

// Position returns the position of who has what is stored of the tenant.
func (s *Subscription) Position() *Position { return s.at }

// send hands over a change. It returns false if the subscription is too slow. feed.mu is held.
func (s *Subscription) send(c alerts.Change) bool {
	select {
	case s.changes <- c:
		return true
	default:
		close(s.slow)
		return false
	}
}

// Close ends the subscription.
func (s *Subscription) Close() {
	s.reading.feed.mu.Lock()
	delete(s.reading.subs, s)
	s.reading.feed.mu.Unlock()
	s.reading.leave()
}
