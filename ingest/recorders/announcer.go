package recorders

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Announcer publishes heartbeats.
type Announcer struct {
	nc   *nats.Conn
	own  string
	log  *slog.Logger
	wake chan struct{}

	mu     sync.Mutex // guards linked
	linked func() []string
}

// NewAnnouncer returns an announcer for the recorder of this process. log may be nil.
func NewAnnouncer(nc *nats.Conn, own string, log *slog.Logger) *Announcer {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Announcer{nc: nc, own: own, log: log, wake: make(chan struct{}, 1)}
}

// SpeakFor adds the ids that the function returns to every heartbeat: see Of.
func (a *Announcer) SpeakFor(linked func() []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.linked = linked
}

// Now publishes a heartbeat at once, for example when a client has just connected.
func (a *Announcer) Now() {
	select {
	case a.wake <- struct{}{}:
	default: // a heartbeat is pending already
	}
}

// Run publishes heartbeats until ctx ends. A heartbeat that cannot be published is dropped, since
// the next one has the same ids.
func (a *Announcer) Run(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	back := a.nc.StatusChanged(nats.CONNECTED)
	defer a.nc.RemoveStatusListener(back)
	for {
		a.publish()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-back:
		case <-a.wake:
		}
	}
}

func (a *Announcer) publish() {
	a.mu.Lock()
	linked := a.linked
	a.mu.Unlock()
	ids := []string{a.own}
	if linked != nil {
		ids = append(ids, linked()...)
	}
	for len(ids) > 0 {
		n := min(len(ids), idsPerMessage)
		text, err := json.Marshal(heartbeat{Recorders: ids[:n]})
		if err != nil {
			panic(err) // cannot fail for a list of strings
		}
		if err := a.nc.Publish(Subject, text); err != nil {
			a.log.Debug("recorders: heartbeat not published", "error", err)
			return
		}
		ids = ids[n:]
	}
}
