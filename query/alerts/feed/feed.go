// Package feed sends alerts as they begin and end. Only one server evaluates the rules, so each server polls the table of
// alerts, once a second for all its clients, while there are any. It needs no notification, which could be lost.
package feed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tapedeck/internal/backoff"
	"tapedeck/internal/metric"
	"tapedeck/query"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
)

const (
	// every is the interval at which the table is read while somebody is subscribed.
	every = time.Second
	// share is the part of the time, 1/share, that readings take at most.
	share = 10
	// slowest is the longest interval while readings fail.
	slowest = 10 * time.Second
)

var reads = metric.CounterVecOf(metric.API, "tapedeck_alerts_stream_reads_total",
	"Readings of the table of alerts for the streams of GET /v1/alerts, by result: done, failed.", "result", "done", "failed")

// Feed reads the changes of all tenants, for all subscriptions together, while there is one. It is safe for use by many
// goroutines.
type Feed struct {
	reader *query.Reader
	log    *slog.Logger

	mu      sync.Mutex // guards reading, and the fields of readings that say so
	reading *reading   // nil without a subscription
}

// New returns a feed.
func New(r *query.Reader, log *slog.Logger) *Feed { return &Feed{reader: r, log: log} }

// change identifies a change.
type change struct {
	version uint64
	id      string
}

// reading is the reading of the table from the first subscription to the end of the last one.
type reading struct {
	feed   *Feed
	cancel context.CancelFunc
	ready  chan struct{} // closed once it is known what was stored when it began, or err is set
	err    error         // valid once ready is closed
	done   chan struct{} // closed at its end

	users  int                        // subscriptions, and calls of Subscribe; guarded by feed.mu
	subs   map[*Subscription]struct{} // guarded by feed.mu
	newest uint64                     // the highest version; guarded by feed.mu
	recent map[change]string          // the tenants of the changes that are at most alerts.Settle older; guarded by feed.mu
}

// Subscribe subscribes to the changes of a tenant. The caller closes the subscription.
func (f *Feed) Subscribe(ctx context.Context, tenant string) (*Subscription, error) {
	f.mu.Lock()
	if f.reading == nil {
		f.reading = f.begin()
	}
	r := f.reading
	r.users++
	f.mu.Unlock()
	select {
	case <-r.ready:
	case <-ctx.Done():
		r.leave()
		return nil, context.Cause(ctx)
	}
	if r.err != nil {
		r.leave()
		return nil, r.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := newSubscription(r, tenant)
	r.subs[s] = struct{}{}
	return s, nil
}

// begin begins a reading. f.mu is held.
func (f *Feed) begin() *reading {
	ctx, cancel := context.WithCancel(context.Background())
	r := &reading{feed: f, cancel: cancel, ready: make(chan struct{}), done: make(chan struct{}),
		subs: map[*Subscription]struct{}{}, recent: map[change]string{}}
	go r.run(ctx)
	return r
}

// leave ends a use of the reading, and with the last one the reading.
func (r *reading) leave() {
	r.feed.mu.Lock()
	r.users--
	last := r.users == 0
	if last && r.feed.reading == r {
		r.feed.reading = nil
	}
	r.feed.mu.Unlock()
	if last {
		r.cancel()
		<-r.done
	}
}

func (r *reading) run(ctx context.Context) {
	defer close(r.done)
	if r.err = r.start(ctx); r.err != nil {
		r.feed.mu.Lock()
		if r.feed.reading == r { // the next subscription tries again
			r.feed.reading = nil
		}
		r.feed.mu.Unlock()
		close(r.ready)
		return
	}
	close(r.ready)
	failures := backoff.Backoff{Min: every, Max: slowest}
	failed, pause := false, every
	for backoff.Sleep(ctx, pause) {
		began := time.Now()
		err := r.round(ctx)
		took := time.Since(began)
		pause = max(every-took, (share-1)*took)
		switch {
		case err == nil:
			reads.WithLabelValues("done").Inc()
			failures.Reset()
			failed = false
		case ctx.Err() == nil:
			reads.WithLabelValues("failed").Inc()
			if !failed {
				r.feed.log.Warn("alerts: changes could not be read, the streams of alerts wait", "error", err)
			}
			failed, pause = true, max(pause, failures.Next())
		}
	}
}

// start reads what was stored before.
func (r *reading) start(ctx context.Context) error {
	newest, err := alerts.Newest(ctx, r.feed.reader)
	if err != nil {
		return err
	}
	list, err := alerts.ReadWritten(ctx, r.feed.reader, settled(newest))
	if err != nil {
		return err
	}
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	r.newest = newest
	for _, c := range list {
		r.add(c)
	}
	return nil
}

// round reads what was stored since the last one, and sends it to the subscriptions.
func (r *reading) round(ctx context.Context) error {
	r.feed.mu.Lock()
	after := settled(r.newest)
	r.feed.mu.Unlock()
	list, err := alerts.ReadWritten(ctx, r.feed.reader, after)
	if err != nil {
		return err
	}
	fresh, asked := r.fresh(list)
	known := make(map[string]map[string]bool, len(asked))
	for tenant, of := range asked {
		if known[tenant], err = alerts.Known(ctx, r.feed.reader, tenant, of); err != nil {
			return err
		}
	}
	r.publish(fresh, known)
	return nil
}

// fresh returns the changes that were not read before, and their alerts by tenant, of tenants with a subscription. Who
// subscribes later reads the table after that.
func (r *reading) fresh(list []alerts.Change) (fresh []alerts.Change, asked map[string][]*evaluate.Alert) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	subscribed := map[string]bool{}
	for s := range r.subs {
		subscribed[s.tenant] = true
	}
	asked = map[string][]*evaluate.Alert{}
	for _, c := range list {
		if _, read := r.recent[idOf(c)]; read {
			continue
		}
		fresh = append(fresh, c)
		if subscribed[c.Alert.Tenant] {
			asked[c.Alert.Tenant] = append(asked[c.Alert.Tenant], c.Alert)
		}
	}
	return fresh, asked
}

// publish sends the changes of alerts that are known.
func (r *reading) publish(fresh []alerts.Change, known map[string]map[string]bool) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	for _, c := range fresh {
		if !r.add(c) || !known[c.Alert.Tenant][c.Alert.ID] {
			continue
		}
		for s := range r.subs {
			if s.tenant == c.Alert.Tenant && !s.send(c) {
				delete(r.subs, s)
			}
		}
	}
	for c := range r.recent {
		if c.version <= settled(r.newest) {
			delete(r.recent, c)
		}
	}
}

// add remembers a change. It returns false for one that it remembers already. feed.mu is held.
func (r *reading) add(c alerts.Change) bool {
	if _, read := r.recent[idOf(c)]; read {
		return false
	}
	r.recent[idOf(c)] = c.Alert.Tenant
	r.newest = max(r.newest, c.Version)
	return true
}

func idOf(c alerts.Change) change { return change{c.Version, c.Alert.ID} }

// settled returns the version up to which all is stored if there is a change of a version.
func settled(version uint64) uint64 { return version - min(version, uint64(alerts.Settle)) }
