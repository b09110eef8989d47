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
type crew struct {
	size int // as many work as a rule, at most

	mu      sync.Mutex // guards all below
	work    []func()   // that nobody has begun, in order
	members int        // who work now
	begun   int        // work that was, ever
	relief  *time.Timer
	watched bool // relief runs
	before  int  // begun when it was started
}

// crewHeldUp is how long no work may be begun before the crew counts as held up.
const crewHeldUp = 10 * time.Millisecond

func newCrew() *crew {
	c := &crew{size: 2 * runtime.GOMAXPROCS(0)}
	c.relief = time.AfterFunc(crewHeldUp, c.relieve)
	c.relief.Stop()
	return c
}

// begin has work done. It does not wait for it.
func (c *crew) begin(work func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work = append(c.work, work)
	switch {
	case c.members < c.size:
		c.members++
		go c.toil()
	case !c.watched:
		c.watch()
	}
}

func (c *crew) toil() {
	for work := c.next(); work != nil; work = c.next() {
		work()
	}
}

// next gives work to a member; nil if there is none, and the member is to go.
func (c *crew) next() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.work) == 0 {
		c.work = nil
		c.members--
		return nil
	}
	work := c.work[0]
	c.work[0] = nil
	c.work = c.work[1:]
	c.begun++
	return work
}

// watch has relief come. mu is held.
func (c *crew) watch() {
	c.watched, c.before = true, c.begun
	c.relief.Reset(crewHeldUp)
}

// relieve doubles a crew that is held up.
func (c *crew) relieve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watched = false
	if len(c.work) == 0 {
		return
	}
	if c.begun == c.before {
		for range c.members {
			go c.toil()
		}
		c.members *= 2
	}
	c.watch()
}
