package upload

import (
	"slices"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// The server names a client's recorder while the client sends, signs of life included.
func TestRecorderOfClient(t *testing.T) {
	arrived := make(chan struct{}, 1)
	s := newSite(t, newStore())
	s.opts.Alive, s.opts.Arrived = 50*time.Millisecond, func() { arrived <- struct{}{} }
	s.start()
	t.Cleanup(s.halt)
	c := dial(t, Options{Server: s.url(), Recorder: "some-id", Grace: -1})
	bounded.Receive(t, arrived)
	if got := s.server.Recorders(); !slices.Equal(got, []string{"some-id"}) {
		t.Fatalf("recorders %v, want some-id", got)
	}
	s.server.mu.Lock()
	s.server.recorders["some-id"].last = time.Now().Add(-time.Hour) // as if nothing came for an hour
	s.server.mu.Unlock()
	eventually(t, "a sign of life comes", func() bool { return len(s.server.Recorders()) == 1 })
	closeNow(t, c)
	eventually(t, "it is gone", func() bool { return len(s.server.Recorders()) == 0 })
}
