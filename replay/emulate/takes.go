package emulate

import (
	"sync"
	"time"
)

// Takes remember what was played of sessions. They are kept for as long as the
// process runs, the last thousand or so.
type Takes struct {
	mu    sync.Mutex // guards all below it
	items map[takeKey]*take
}

type takeKey struct{ tenant, session, name string }

type take struct {
	used   time.Time
	played map[string]int // by an id of what was played: how often
}

// takesLimit bounds the takes that are remembered.
const takesLimit = 1024

// Choose picks one among ids, in their order: the first that was never played,
// and notes it as played. When all were, end decides: -1, the first of those that
// were played least often, or the last.
func (t *Takes) Choose(tenant, session, name string, ids []string, end End) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := takeKey{tenant, session, name}
	it := t.items[k]
	if it == nil {
		if t.items == nil {
			t.items = map[takeKey]*take{}
		}
		if len(t.items) >= takesLimit {
			t.dropOldest()
		}
		it = &take{played: map[string]int{}}
		t.items[k] = it
	}
	it.used = time.Now()
	best := -1
	for i, id := range ids {
		if best < 0 || it.played[id] < it.played[ids[best]] {
			best = i
		}
	}
	if best < 0 {
		return -1
	}
	if it.played[ids[best]] > 0 && end != Again {
		if end == Last {
			return len(ids) - 1
		}
		return -1
	}
	it.played[ids[best]]++
	return best
}

// dropOldest makes room. t.mu is held.
func (t *Takes) dropOldest() {
	var oldest takeKey
	var at time.Time
	for k, it := range t.items {
		if at.IsZero() || it.used.Before(at) {
			oldest, at = k, it.used
		}
	}
	delete(t.items, oldest)
}
