package sessioncache

import (
	"cmp"
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
)

const (
	// DefaultBytes is the default of Options.Bytes.
	DefaultBytes = 64 << 20
	// largest is the share of the cache that one value may take; a larger one is not kept.
	largest = 4
	// maxAge is the age at which a value is read again. A change is announced at once; the age
	// bounds the effect of a program that stores data without announcing it, such as an older sink
	// that still runs during an upgrade.
	maxAge = 10 * time.Minute
	// overhead is the memory of a value besides its size, bytes.
	overhead = 512
)

// Options configures a cache. Zero values select the defaults.
type Options struct {
	NATS  *nats.Conn // where changes are announced; nil for a cache that keeps nothing
	Bytes int64      // of all values; default DefaultBytes
}

// Cache keeps values of sessions. A nil cache keeps nothing. It is a prometheus.Collector, and safe
// for use by many goroutines.
type Cache struct {
	limit   int64
	log     *change.Log // nil if nothing is kept
	metrics metrics

	mu       sync.Mutex // guards the fields below
	sessions map[change.ID]*session
	order    list.List // of *value, the most recently used first
	bytes    int64
}

// session has the values and the loads of one session. It is replaced when the session changes, so
// that loads that began before are not kept.
type session struct {
	tenant change.ID
	values map[string]*value
	loads  map[string]*load
}

type value struct {
	session *session
	id      change.ID
	kind    string
	content any
	bytes   int64
	at      time.Time // when its load began
	place   *list.Element
}

// load is a value that is being read, for all callers that wait for it.
type load struct {
	done    chan struct{} // closed when content and err are valid
	content any
	err     error
	waiting int                // guarded by the cache's mu
	cancel  context.CancelFunc // called when no caller waits any more
}

// New returns a cache. The caller closes it before the connection to NATS. With an error it returns
// a cache that keeps nothing.
func New(o Options) (*Cache, error) {
	c := &Cache{limit: cmp.Or(o.Bytes, DefaultBytes), metrics: newMetrics(), sessions: map[change.ID]*session{}}
	if o.NATS == nil {
		return c, nil
	}
	log, err := change.NewLog(o.NATS, c.changed)
	if err != nil {
		return c, err // keeps nothing
	}
	c.log = log
	return c, nil
}

// Close ends the cache. Later calls of Get load for themselves.
func (c *Cache) Close() {
	if c != nil && c.log != nil {
		c.log.Close()
	}
}

// Get returns the current value of a kind for a session. load reads the value and returns its size
// in bytes. Several callers share a value, so they must not modify it. The context of load ends
// when no caller waits for the value; it does not end with ctx, since others may wait.
func Get[T any](ctx context.Context, c *Cache, of tombstone.Key, kind string,
	load func(context.Context) (T, int64, error),
) (T, error) {
	if c == nil || c.log == nil || c.log.Sync(ctx) != nil {
		v, _, err := load(ctx)
		return v, err
	}
	content, err := c.get(ctx, of, kind, func(ctx context.Context) (any, int64, error) { return load(ctx) })
	v, _ := content.(T)
	return v, err
}

// get returns a value from the cache, or loads it.
func (c *Cache) get(ctx context.Context, of tombstone.Key, kind string,
	read func(context.Context) (any, int64, error),
) (any, error) {
	id := change.IDOf(of)
	c.mu.Lock()
	s := c.sessions[id]
	if s == nil {
		s = &session{
			tenant: change.IDOf(tombstone.Key{Tenant: of.Tenant}),
			values: map[string]*value{}, loads: map[string]*load{},
		}
		c.sessions[id] = s
	}
	if v := s.values[kind]; v != nil && time.Since(v.at) < maxAge {
		c.order.MoveToFront(v.place)
		c.mu.Unlock()
		c.metrics.hits.Inc()
		return v.content, nil
	}
	l := s.loads[kind]
	if l == nil {
		c.metrics.misses.Inc()
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		l = &load{done: make(chan struct{}), cancel: cancel}
		s.loads[kind] = l
		go c.run(own, s, &value{session: s, id: id, kind: kind, at: time.Now()}, l, read)
	} else {
		c.metrics.hits.Inc()
	}
	l.waiting++
	c.mu.Unlock()
	select {
	case <-l.done:
		return l.content, l.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		l.cancel()
		if s.loads[kind] == l {
			delete(s.loads, kind)
			c.drop(id, s)
		}
	}
	return nil, context.Cause(ctx)
}

// run loads a value, and keeps it unless its session has changed meanwhile.
func (c *Cache) run(ctx context.Context, s *session, v *value, l *load,
	read func(context.Context) (any, int64, error),
) {
	defer l.cancel()
	l.content, v.bytes, l.err = read(ctx)
	v.content = l.content
	v.bytes += overhead
	c.mu.Lock()
	if s.loads[v.kind] == l {
		delete(s.loads, v.kind)
		if l.err == nil && c.sessions[v.id] == s && v.bytes <= c.limit/largest {
			c.keep(v)
		}
		c.drop(v.id, s)
	}
	c.mu.Unlock()
	close(l.done)
}

// keep adds a value, and evicts others for it. The caller holds mu.
func (c *Cache) keep(v *value) {
	if old := v.session.values[v.kind]; old != nil {
		c.remove(old)
	}
	v.session.values[v.kind] = v
	v.place = c.order.PushFront(v)
	c.bytes += v.bytes
	for c.bytes > c.limit {
		last := c.order.Back().Value.(*value)
		c.remove(last)
		c.drop(last.id, last.session)
		c.metrics.evictions.WithLabelValues(evictedForRoom).Inc()
	}
}

// remove removes a value. The caller holds mu.
func (c *Cache) remove(v *value) {
	delete(v.session.values, v.kind)
	c.order.Remove(v.place)
	c.bytes -= v.bytes
}

// drop forgets a session without values and loads. The caller holds mu.
func (c *Cache) drop(id change.ID, s *session) {
	if len(s.values)+len(s.loads) == 0 && c.sessions[id] == s {
		delete(c.sessions, id)
	}
}

// changed removes the values of changed sessions and tenants; of all sessions if all is set.
func (c *Cache) changed(ids []change.ID, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) == 0 {
		return
	}
	if all {
		for id, s := range c.sessions {
			c.release(id, s)
		}
		return
	}
	tenants := c.tenants()
	for _, id := range ids {
		if s := c.sessions[id]; s != nil {
			c.release(id, s)
		}
		if !tenants[id] {
			continue
		}
		for of, s := range c.sessions {
			if s.tenant == id {
				c.release(of, s)
			}
		}
	}
}

// tenants returns the tenants that have sessions in the cache. The caller holds mu.
func (c *Cache) tenants() map[change.ID]bool {
	all := map[change.ID]bool{}
	for _, s := range c.sessions {
		all[s.tenant] = true
	}
	return all
}

// release removes a session that has changed. Its loads continue for the callers that wait for
// them, and are not kept. The caller holds mu.
func (c *Cache) release(id change.ID, s *session) {
	for _, v := range s.values {
		c.remove(v)
		c.metrics.evictions.WithLabelValues(evictedByChange).Inc()
	}
	delete(c.sessions, id)
}

// Bytes returns the size of all values.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Describe implements prometheus.Collector.
func (c *Cache) Describe(to chan<- *prometheus.Desc) { c.metrics.describe(to) }

// Collect implements prometheus.Collector.
func (c *Cache) Collect(to chan<- prometheus.Metric) {
	c.metrics.collect(to, c.Bytes())
}
