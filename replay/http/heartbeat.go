package replayhttp

import (
	"sync"
	"time"
)

// heartbeat sends a comment at intervals until stop is called, which waits for a comment in
// progress. It calls fail if the client has disconnected. It uses a timer instead of a goroutine
// for every playback.
func (s *stream) heartbeat(every time.Duration, fail func(error)) (stop func()) {
	var (
		mu      sync.Mutex // held while a comment is sent; guards the fields below
		timer   *time.Timer
		stopped bool
	)
	beat := func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		err := s.append(func(b []byte) []byte { return append(b, ": heartbeat\n\n"...) })
		if err == nil {
			err = s.flush()
		}
		if err != nil {
			fail(err)
			return
		}
		timer.Reset(every)
	}
	mu.Lock()
	timer = time.AfterFunc(every, beat)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
