package feed

import (
	"fmt"
	"testing"

	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
)

// A subscription for which too many changes wait ends; others go on.
func TestSlowSubscription(t *testing.T) {
	f := New(nil, nil)
	r := &reading{feed: f, cancel: func() {}, done: make(chan struct{}), users: 3, subs: map[*Subscription]struct{}{}, recent: map[change]string{}}
	close(r.done)
	idle, reads, other := newSubscription(r, "t"), newSubscription(r, "t"), newSubscription(r, "other")
	for _, s := range []*Subscription{idle, reads, other} {
		r.subs[s] = struct{}{}
	}
	for i := range waiting + 10 {
		c := alerts.Change{Alert: &evaluate.Alert{Tenant: "t", ID: fmt.Sprint(i)}, Version: uint64(i + 1)}
		r.publish([]alerts.Change{c, c}, map[string]map[string]bool{"t": {c.Alert.ID: true}})
		if got := <-reads.Changes; got.Version != c.Version {
			t.Fatalf("%d is received as %d", c.Version, got.Version)
		}
	}
	<-idle.Slow
	if len(idle.Changes) != waiting || len(r.subs) != 2 || len(other.Changes) != 0 {
		t.Errorf("%d changes wait, %d subscriptions, %d changes of another tenant", len(idle.Changes), len(r.subs), len(other.Changes))
	}
	for _, s := range []*Subscription{idle, reads, other} {
		s.Close()
	}
	if r.users != 0 {
		t.Errorf("%d users", r.users)
	}
}
