package otlphttp

import (
	"container/list"
	"sync"
)

// indexedTraces bounds the traces whose sessions are kept, about 200 bytes each.
const indexedTraces = 100_000

// traceIndex keeps the sessions that items of traces named, for later items of these traces that
// name none. It drops the least recently used trace. It is safe for concurrent use.
type traceIndex struct {
	limit int

	mu    sync.Mutex
	of    map[traceKey]*list.Element
	order *list.List // of traceEntry, the most recently used first
}

type traceKey struct{ tenant, trace string }

type traceEntry struct {
	traceKey
	session string
}

func newTraceIndex(limit int) *traceIndex {
	return &traceIndex{limit: limit, of: map[traceKey]*list.Element{}, order: list.New()}
}

// add sets the session of a trace, unless it has one.
func (x *traceIndex) add(tenant, trace, session string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	key := traceKey{tenant, trace}
	if e := x.of[key]; e != nil {
		x.order.MoveToFront(e)
		return
	}
	x.of[key] = x.order.PushFront(traceEntry{key, session})
	if x.order.Len() > x.limit {
		last := x.order.Back()
		delete(x.of, last.Value.(traceEntry).traceKey)
		x.order.Remove(last)
	}
}

// find returns the session of a trace, "" for none.
func (x *traceIndex) find(tenant, trace string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.of[traceKey{tenant, trace}]
	if e == nil {
		return ""
	}
	x.order.MoveToFront(e)
	return e.Value.(traceEntry).session
}
