package recorders

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
)

// Registry hears signs of life. Its clock stands still while NATS is away: whoever
// lived then lives on until it can be heard again.
type Registry struct {
	nc      *nats.Conn
	sub     *nats.Subscription
	changed chan nats.Status
	done    chan struct{} // closed when it follows the connection no more

	mu      sync.Mutex // guards all below
	heard   map[string]time.Duration
	passed  time.Duration // on the clock, up to when it stopped last
	going   time.Time     // since when it goes; zero while it stands still
	refused uint64        // ids beyond the bounds
}

// Listen begins to hear signs, until Close.
func Listen(nc *nats.Conn) (*Registry, error) {
	r := &Registry{nc: nc, heard: map[string]time.Duration{}, done: make(chan struct{})}
	r.changed = nc.StatusChanged(nats.CONNECTED, nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	var err error
	if r.sub, err = nc.Subscribe(Subject, func(m *nats.Msg) { r.take(m.Data) }); err != nil {
		nc.RemoveStatusListener(r.changed)
		return nil, fmt.Errorf("subscribe to signs of life of recorders: %w", err)
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

// Close hears no more.
func (r *Registry) Close() {
	_ = r.sub.Unsubscribe() // a closed connection has none
	r.nc.RemoveStatusListener(r.changed)
	<-r.done
}

// run has the clock go or stand still.
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

// now is the time on the clock. It needs mu.
func (r *Registry) now() time.Duration {
	if r.going.IsZero() {
		return r.passed
	}
	return r.passed + time.Since(r.going)
}

func (r *Registry) take(text []byte) {
	var s signs
	if json.Unmarshal(text, &s) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	for _, id := range s.Recorders {
		if _, ok := r.heard[id]; !ok && len(r.heard) >= known {
			r.forget(now)
		}
		if _, ok := r.heard[id]; id == "" || len(id) > idLimit || !ok && len(r.heard) >= known {
			r.refused++
			continue
		}
		r.heard[id] = now
	}
}

// forget leaves out whoever was not heard for too long. It needs mu.
func (r *Registry) forget(now time.Duration) {
	for id, at := range r.heard {
		if now-at > Lifetime {
			delete(r.heard, id)
		}
	}
}

// Alive gives the recorders that live. within is the time after which a recorder
// that is not among them is gone; it is 0 until the registry has listened for as long.
func (r *Registry) Alive() (ids []string, within time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.forget(now)
	ids = make([]string, 0, len(r.heard))
	for id := range r.heard {
		ids = append(ids, id)
	}
	if now >= Lifetime {
		within = Lifetime
	}
	return ids, within
}

var (
	aliveMetric   = prometheus.NewDesc("tapedeck_recorders_alive", "Recording processes of which a sign of life was heard within 35 s.", nil, nil)
	refusedMetric = prometheus.NewDesc("tapedeck_recorders_refused_total", "Ids in signs of life that were left out, as there were too many or they were malformed.", nil, nil)
)

// Describe implements prometheus.Collector.
func (r *Registry) Describe(descs chan<- *prometheus.Desc) { prometheus.DescribeByCollect(r, descs) }

// Collect implements prometheus.Collector.
func (r *Registry) Collect(metrics chan<- prometheus.Metric) {
	ids, _ := r.Alive()
	r.mu.Lock()
	refused := r.refused
	r.mu.Unlock()
	metrics <- prometheus.MustNewConstMetric(aliveMetric, prometheus.GaugeValue, float64(len(ids)))
	metrics <- prometheus.MustNewConstMetric(refusedMetric, prometheus.CounterValue, float64(refused))
}
