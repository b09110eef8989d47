package emulate

import (
	"sync"
	"time"
)

// Takes records which answers of sessions were played. It keeps the most recent takesLimit takes in
// memory.
type Takes struct {
	mu    sync.Mutex // guards the fields below
	items map[takeKey]*take
}

type takeKey struct{ tenant, session, name string }

type take struct {
	used   time.Time
	turns  int // number of choices so far
	played map[string]played
	// renamed maps names in recorded requests to those in the requests of the client.
	renamed map[string]string
}

// played records when an answer was played in a take.
type played struct {
	times int
	turn  int  // turn of the last choice, from 1
	ended bool // a client received the whole answer
}

// takesLimit bounds the takes in memory.
const takesLimit = 1024

// Choose returns the index of the first of ids that was never played, and records it as played. If
// all were played, the result depends on end: -1, the first of those that were played least often,
// or the last.
func (t *Takes) Choose(tenant, session, name string, ids []string, end End) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.take(tenant, session, name)
	best := -1
	for i, id := range ids {
		if best < 0 || it.played[id].times < it.played[ids[best]].times {
			best = i
		}
	}
	if best < 0 {
		return -1
	}
	again := 1
	if it.played[ids[best]].times > 0 && end != Again {
		if end != Last {
			return -1
		}
		best, again = len(ids)-1, 0
	}
	it.turns++
	it.played[ids[best]] = played{times: it.played[ids[best]].times + again, turn: it.turns}
	return best
}

// Latest returns the turn in which an id was chosen last in a take, from 1; 0 for never. ended
// reports whether the answer was then played to its end.
func (t *Takes) Latest(tenant, session, name, id string) (turn int, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.take(tenant, session, name).played[id]
	return p.turn, p.ended
}

// End records that an answer was played to its end.
func (t *Takes) End(tenant, session, name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.take(tenant, session, name)
	p := it.played[id]
	p.ended = true
	it.played[id] = p
}

// renamesLimit bounds the names of a take in memory.
const renamesLimit = 4096

// Rename records the name that a client uses in place of a recorded name. At renamesLimit names it
// forgets the earlier ones.
func (t *Takes) Rename(tenant, session, name, recorded, now string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.take(tenant, session, name)
	if it.renamed == nil || len(it.renamed) >= renamesLimit {
		it.renamed = map[string]string{}
	}
	it.renamed[recorded] = now
}

// Renamed returns the client's name for a recorded one, and whether the names differ.
func (t *Takes) Renamed(tenant, session, name, recorded string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, ok := t.take(tenant, session, name).renamed[recorded]
	return now, ok && now != recorded
}

// take returns the take of a name, and creates it if it does not exist. The caller holds t.mu.
func (t *Takes) take(tenant, session, name string) *take {
	k := takeKey{tenant, session, name}
	it := t.items[k]
	if it == nil {
		if t.items == nil {
			t.items = map[takeKey]*take{}
		}
		if len(t.items) >= takesLimit {
			t.dropOldest()
		}
		it = &take{played: map[string]played{}}
		t.items[k] = it
	}
	it.used = time.Now()
	return it
}

// dropOldest evicts the oldest take. The caller holds t.mu.
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
