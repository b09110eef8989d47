package otlphttp

import (
	"container/list"
	"sync"
)

// Bounds on the traces whose sessions are kept, about 300 bytes each.
const (
	tenantTraces = 10_000 // of one tenant
	allTraces    = 100_000
)

// traceIndex keeps the sessions that items of traces named, for later items of these traces that
// name none. It drops the least recently used trace: of the tenant, and of all tenants. It is safe
// for concurrent use.
type traceIndex struct {
	perTenant, limit int

	mu    sync.Mutex
	of    map[string]*tenantIndex
	order *list.List // of *traceEntry, the most recently used first
}

// tenantIndex has the traces of one tenant; it has at least one.
type tenantIndex struct {
	of    map[string]*traceEntry
	order *list.List // of *traceEntry, the most recently used first
}

type traceEntry struct {
	tenant, trace, session string

	inAll, inTenant *list.Element
}

func newTraceIndex(perTenant, limit int) *traceIndex {
	return &traceIndex{perTenant: perTenant, limit: limit, of: map[string]*tenantIndex{}, order: list.New()}
}

// add sets the session of a trace, unless it has one.
func (x *traceIndex) add(tenant, trace, session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.get(tenant, trace) != nil {
		return
	}
	t := x.of[tenant]
	if t == nil {
		t = &tenantIndex{of: map[string]*traceEntry{}, order: list.New()}
		x.of[tenant] = t
	}
	e := &traceEntry{tenant: tenant, trace: trace, session: session}
	e.inAll, e.inTenant = x.order.PushFront(e), t.order.PushFront(e)
	t.of[trace] = e
	if t.order.Len() > x.perTenant {
		x.drop(t.order.Back().Value.(*traceEntry))
	}
	if x.order.Len() > x.limit {
		x.drop(x.order.Back().Value.(*traceEntry))
	}
}

// find returns the session of a trace, "" for none.
func (x *traceIndex) find(tenant, trace string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.get(tenant, trace); e != nil {
		return e.session
	}
	return ""
}

// get returns a trace, which was now used last; nil for none.
func (x *traceIndex) get(tenant, trace string) *traceEntry {
	t := x.of[tenant]
	if t == nil || t.of[trace] == nil {
		return nil
	}
	e := t.of[trace]
	x.order.MoveToFront(e.inAll)
	t.order.MoveToFront(e.inTenant)
	return e
}

func (x *traceIndex) drop(e *traceEntry) {
	t := x.of[e.tenant]
	x.order.Remove(e.inAll)
	t.order.Remove(e.inTenant)
	delete(t.of, e.trace)
	if len(t.of) == 0 {
		delete(x.of, e.tenant)
	}
}
