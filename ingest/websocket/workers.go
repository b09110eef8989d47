package websocket

import (
	"runtime"
	"sync"
	"time"
)

// crew is goroutines that work for many connections. Recording a frame takes a
// deep stack, and a goroutine that had one keeps it for a while: those that wait
// for connections have others do it, so that a silent connection costs a small
// stack, and many that speak at once cost a few deep ones.
//
// Work that is held up, by a publisher that pushes back or a client that does not
// read, is not to hold up the work for others: while none is begun, the crew
// doubles.
type workers struct {
	size int // as many work as a rule, at most

	mu            sync.Mutex // guards all below
	work          []func()   // that nobody has begun, in order
	running       int        // who work now
	started       int        // work that was, ever
	timer         *time.Timer
	watched       bool // relief runs
	startedBefore int  // begun when it was started
}

// crewHeldUp is how long no work may be begun before the crew counts as held up.
const stallTimeout = 10 * time.Millisecond

func newWorkers() *workers {
	c := &workers{size: 2 * runtime.GOMAXPROCS(0)}
	c.timer = time.AfterFunc(stallTimeout, c.grow)
	c.timer.Stop()
	return c
}

// begin has work done. It does not wait for it.
func (c *workers) do(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = append(c.work, work)
	switch {
	case c.running < c.size:
		c.running++
		go c.run()
	case !c.watched:
		c.watchStall()
	}
}

func (c *workers) run() {
	for work := c.next(); work != nil; work = c.next() {
		work()
	}
}

// next gives work to a member; nil if there is none, and the member is to go.
func (c *workers) next() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.work) == 0 {
		c.work = nil
		c.running--
		return nil
	}
	work := c.work[0]
	c.work[0] = nil
	c.work = c.work[1:]
	c.started++
	return work
}

// watch has relief come. mu is held.
func (c *workers) watchStall() {
	c.watched, c.startedBefore = true, c.started
	c.timer.Reset(stallTimeout)
}

// relieve doubles a crew that is held up.
func (c *workers) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watched = false
	if len(c.work) == 0 {
		return
	}
	if c.started == c.startedBefore {
		for range c.running {
			go c.run()
		}
		c.running *= 2
	}
	c.watchStall()
}
