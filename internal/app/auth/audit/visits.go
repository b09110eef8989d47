package audit

import (
	"sync"
	"time"
)

// The bounds of a visit. A visit ends after visitPause without a request, and after visitLength.
const (
	visitPause  = 5 * time.Minute
	visitLength = time.Hour
	visitsMost  = 10_000 // visits that are known at a time
)

// visited holds the actions that read a session, what runs or what expires piece by piece: a page that
// shows it repeats them until it is closed.
var visited = map[Action]bool{FramesRead: true, TranscriptRead: true, SessionReplay: true, OpenRead: true, RetentionRead: true}

// Visits finds the requests that continue a visit: the same principal reads the same session from the
// same address. A visit has one entry for each action. It is safe for use by many goroutines.
type Visits struct {
	mu   sync.Mutex
	open map[visitKey]*visit
}

type visitKey struct {
	tenant, kind, id, name, remote, object string
	action                                 Action
}

type visit struct {
	requestID   string // of its entry
	began, last time.Time
}

func (e *Entry) visitKey() visitKey {
	return visitKey{e.Tenant, e.Principal.Kind, e.Principal.ID, e.Principal.Name, e.Remote, e.Object, e.Action}
}

// RequestID returns the request id in the entry of the visit that an entry would continue; "" if it
// begins one.
func (v *Visits) RequestID(e *Entry) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if known := v.open[e.visitKey()]; known != nil && known.holds(e.At) {
		return known.requestID
	}
	return ""
}

// Continues reports whether an entry with the outcome Done belongs to a visit that has its entry. It
// begins a visit otherwise. Entries beyond the number of visits that are known at a time belong to none.
func (v *Visits) Continues(e *Entry) bool {
	if !visited[e.Action] {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := e.visitKey()
	if known := v.open[key]; known != nil && known.holds(e.At) {
		known.last = e.At
		return true
	}
	if v.open == nil {
		v.open = map[visitKey]*visit{}
	}
	if len(v.open) >= visitsMost {
		for key, known := range v.open {
			if !known.holds(e.At) {
				delete(v.open, key)
			}
		}
	}
	if len(v.open) < visitsMost {
		v.open[key] = &visit{e.RequestID, e.At, e.At}
	}
	return false
}

// holds reports whether the visit continues at a time.
func (v *visit) holds(at time.Time) bool {
	return at.Sub(v.last) < visitPause && at.Sub(v.began) < visitLength
}
