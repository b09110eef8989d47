package websocket

import (
	"runtime"
	"sync"
	"time"
)

// workers is a pool of goroutines that work for many connections. Recording a frame needs a
// deep stack, and a goroutine keeps its stack for some time. The goroutines that wait for
// connections therefore hand the work to the pool: a silent connection needs a small stack,
// and many busy ones share a few deep ones.
//
// Work may block, on a publisher under backpressure or a client that does not read. While
// no queued work is started for stallTimeout, the pool doubles, so that blocked work does
// not hold up other work.
type workers struct {
	size int // maximum number of workers unless they are stalled

	mu            sync.Mutex // guards all below
	work          []func()   // not started yet, in order
	running       int        // number of workers
	started       int        // work started, in total
	timer         *time.Timer
	watched       bool // timer is running
	startedBefore int  // value of started when the timer was set
}

// stallTimeout is the time without started work after which the pool is stalled.
const stallTimeout = 10 * time.Millisecond

func newWorkers() *workers {
	c := &workers{size: 2 * runtime.GOMAXPROCS(0)}
	c.timer = time.AfterFunc(stallTimeout, c.grow)
	c.timer.Stop()
	return c
}

// do queues work. It does not wait for it.
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

// next returns the next work; nil if there is none, and the worker has to end.
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

// watchStall starts the timer. mu is held.
func (c *workers) watchStall() {
	c.watched, c.startedBefore = true, c.started
	c.timer.Reset(stallTimeout)
}

// grow doubles a stalled pool.
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
