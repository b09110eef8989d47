package upload

import (
	"slices"
	"testing"
	"time"

	"tapedeck/internal/bounded"
)

// The server names a client's recorder while the client is connected and answers.
func TestRecorderOfClient(t *testing.T) {
	arrived := make(chan struct{}, 1)
	s := newSite(t, newStore())
	s.opts.Alive, s.opts.Arrived = 20*time.Millisecond, func() { arrived <- struct{}{} }
	s.start()
	t.Cleanup(s.halt)
	c := dial(t, Options{Server: s.url(), Recorder: "some-id", Grace: -1})
	bounded.Receive(t, arrived)
	if got := s.link.Recorders(); !slices.Equal(got, []string{"some-id"}) {
		t.Fatalf("recorders %v, want some-id", got)
	}
	age := func(d time.Duration) { // as if it was heard from that long ago
		s.link.mu.Lock()
		defer s.link.mu.Unlock()
		for of := range s.link.clients {
			of.heard.Store(time.Now().Add(-d).UnixNano())
		}
	}
	age(time.Hour)
	eventually(t, "the client answers a ping", func() bool { return len(s.link.Recorders()) == 1 })
	closeNow(t, c)
	eventually(t, "it is gone", func() bool { return len(s.link.Recorders()) == 0 })
}
