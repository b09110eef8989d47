package sink

import (
	"sync"
	"time"
)

// holdEvery is the interval at which the acknowledgement timers of waiting messages are
// reset: short enough that one or two lost resets do no harm.
const holdEvery = ackWait / 3

// holdOn keeps JetStream from delivering the messages of batches again while they wait
// to be stored, for as long as that takes, until stop is called.
func holdOn(batches ...*batch) (stop func()) {
	done := make(chan struct{})
	var holding sync.WaitGroup
	holding.Go(func() {
		tick := time.NewTicker(holdEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				for _, b := range batches {
					b.hold(now)
				}
			}
		}
	})
	return func() {
		close(done)
		holding.Wait()
	}
}

// hold resets the acknowledgement timer of a batch that has waited for a while.
func (b *batch) hold(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 || now.Sub(b.since) < holdEvery {
		return
	}
	for _, m := range b.messages {
		_ = m.InProgress() // lost, the message is delivered again, which is harmless
	}
}
