package node

import (
	"testing"
	"time"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/app/health"
)

// A process that does nothing but store is not ready while it is behind.
func TestLagMakesASinkNotReady(t *testing.T) {
	for _, c := range []struct {
		roles    Roles
		advisory bool
	}{
		{Roles{Sink: true}, false},
		{Roles{API: true}, true},
		{Roles{Ingest: true}, true},
		{Roles{Ingest: true, Sink: true, API: true}, true},
	} {
		n := &Node{Config: Config{Roles: c.roles, Thresholds: health.Thresholds{MaxLag: time.Minute, MaxFill: 90}}}
		behind := n.checkLag(backlogOf(2 * time.Minute))
		if behind.OK || behind.Advisory != c.advisory {
			t.Errorf("%+v, behind: %+v", c.roles, behind)
		}
		if well := n.checkLag(backlogOf(30 * time.Second)); !well.OK {
			t.Errorf("%+v, half a minute behind: %+v", c.roles, well)
		}
	}
}

func backlogOf(age time.Duration) jetstream.Backlog {
	return jetstream.Backlog{Messages: 1, Unstored: 1, OldestMS: float64(age.Milliseconds())}
}
