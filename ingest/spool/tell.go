package spool

import "sync"

// teller calls back, in order, from a goroutine of its own: whoever publishes
// may hold locks that the callback wants.
type teller struct {
	mu    sync.Mutex // guards all below
	queue []news
	over  bool
	wake  sync.Cond
	gone  chan struct{} // closed when the goroutine has ended
}

type news struct {
	done func(error)
	err  error
}

func newTeller() *teller {
	t := &teller{gone: make(chan struct{})}
	t.wake.L = &t.mu
	go t.run()
	return t
}

func (t *teller) tell(done func(error), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, news{done, err})
	t.wake.Signal()
}

// close tells what is left and ends.
func (t *teller) close() {
	t.mu.Lock()
	t.over = true
	t.wake.Signal()
	t.mu.Unlock()
	<-t.gone
}

func (t *teller) run() {
	defer close(t.gone)
	var batch []news
	for {
		t.mu.Lock()
		for len(t.queue) == 0 && !t.over {
			t.wake.Wait()
		}
		batch, t.queue = t.queue, batch[:0]
		t.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for i := range batch {
			batch[i].done(batch[i].err)
			batch[i] = news{}
		}
	}
}
