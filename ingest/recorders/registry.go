package recorders

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// Registry receives heartbeats. Its clock stops while NATS is unreachable, so that a recorder that
// was alive when the connection was lost stays alive until its heartbeats can arrive again.
type Registry struct {
	nc      *nats.Conn
	sub     *nats.Subscription
	changed chan nats.Status
	done    chan struct{} // closed when run has returned

	mu      sync.Mutex // guards all below
	seen    map[string]time.Duration
	passed  time.Duration // time on the clock when it was last stopped
	going   time.Time     // when the clock was last started; zero while it is stopped
	refused uint64        // number of ids beyond the bounds
}

// Listen subscribes to heartbeats, until Close.
func Listen(nc *nats.Conn) (*Registry, error) {
	r := &Registry{nc: nc, seen: map[string]time.Duration{}, done: make(chan struct{})}
	r.changed = nc.StatusChanged(nats.CONNECTED, nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	var err error
	if r.sub, err = nc.Subscribe(Subject, func(m *nats.Msg) { r.take(m.Data) }); err != nil {
		nc.RemoveStatusListener(r.changed)
		return nil, fmt.Errorf("subscribe to heartbeats of recorders: %w", err)
	}
	r.run(nc.IsConnected())
	go func() {
		defer close(r.done)
		for status := range r.changed {
			r.run(status == nats.CONNECTED)
			if status == nats.CLOSED {
				return
			}
		}
	}()
	return r, nil
}

// Close ends the subscription.
func (r *Registry) Close() {
	_ = r.sub.Unsubscribe() // it fails only if the connection is closed
	r.nc.RemoveStatusListener(r.changed)
	<-r.done
}

// run starts or stops the clock.
func (r *Registry) run(going bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case going && r.going.IsZero():
		r.going = time.Now()
	case !going && !r.going.IsZero():
		r.passed, r.going = r.now(), time.Time{}
	}
}

// now returns the time on the clock. r.mu is held.
func (r *Registry) now() time.Duration {
	if r.going.IsZero() {
		return r.passed
	}
	return r.passed + time.Since(r.going)
}

func (r *Registry) take(text []byte) {
	var s heartbeat
	if json.Unmarshal(text, &s) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, id := range s.Recorders {
		if _, ok := r.seen[id]; !ok && len(r.seen) >= known {
			r.forget(now)
		}
		if _, ok := r.seen[id]; id == "" || len(id) > idLimit || !ok && len(r.seen) >= known {
			r.refused++
			continue
		}
		r.seen[id] = now
	}
}

// forget removes recorders without a valid heartbeat. r.mu is held.
func (r *Registry) forget(now time.Duration) {
	for id, at := range r.seen {
		if now-at > Lifetime {
			delete(r.seen, id)
		}
	}
}

// Alive returns the recorders with a valid heartbeat that may record for a tenant: servers, and the
// tenant's clients. Another recorder is gone if its last frame is older than within; within is 0
// until the registry has been subscribed for that long.
func (r *Registry) Alive(tenant string) (ids []string, within time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.forget(now)
	ids = make([]string, 0, len(r.seen))
	for id := range r.seen {
		if of, own, ok := strings.Cut(id, "/"); !ok {
			ids = append(ids, id)
		} else if of == tenant {
			ids = append(ids, own)
		}
	}
	if now >= Lifetime {
		within = Lifetime
	}
	return ids, within
}

// IsLost reports whether a recorder of a tenant's stream has no valid heartbeat. It returns false
// until the registry has been subscribed for long enough to know.
func (r *Registry) IsLost(tenant, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	return now >= Lifetime && !r.heard(id, now) && !r.heard(Of(tenant, id), now)
}

// heard reports whether an id has a valid heartbeat. r.mu is held.
func (r *Registry) heard(id string, now time.Duration) bool {
	at, ok := r.seen[id]
	return ok && now-at <= Lifetime
}

var (
	aliveMetric = metric.GaugeDesc(metric.API, "tapedeck_recorders_alive",
		"Recording processes with a heartbeat in the last 35 s.")
	refusedMetric = metric.CounterDesc(metric.API, "tapedeck_recorders_refused_total",
		"Ids in heartbeats that were dropped, as they were too many or malformed.")
)

// Describe implements prometheus.Collector.
func (r *Registry) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(r, descs) }

// Collect implements prometheus.Collector.
func (r *Registry) Collect(metrics chan<- prometheus.Metric) {
	r.mu.Lock()
	r.forget(r.now())
	alive, refused := len(r.seen), r.refused
	r.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(aliveMetric, prometheus.GaugeValue, float64(alive))
	metrics <- prometheus.MustNewConstMetric(refusedMetric, prometheus.CounterValue, float64(refused))
}
