package sink

import (
	"sync"
	"time"
)

// extendEvery is the interval at which the acknowledgement timers of waiting messages are
// reset: short enough that one or two lost resets are harmless.
const extendEvery = ackWait / 3

// extendAckWait keeps JetStream from redelivering the messages of batches while they wait
// to be stored, until stop is called.
func extendAckWait(batches ...*batch) (stop func()) {
	done := make(chan struct{})
	var holding sync.WaitGroup
	holding.Go(func() {
		tick := time.NewTicker(extendEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				for _, b := range batches {
					b.extendAckWait(now)
				}
			}
		}
	})
	return func() {
		close(done)
		holding.Wait()
	}
}

// extendAckWait resets the acknowledgement timers of a batch that has waited for
// extendEvery.
func (b *batch) extendAckWait(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 || now.Sub(b.since) < extendEvery {
		return
	}
	for _, m := range b.messages {
		_ = m.InProgress() // if it is lost, the message is delivered again, which is harmless
	}
}
