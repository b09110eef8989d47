package bench

import (
	"sync"
	"time"
)

// Memory is the resident memory of a process over time.
type Memory struct {
	Every   time.Duration `json:"every_ns"` // between two samples
	Samples []uint64      `json:"samples"`  // bytes
}

// sampleEvery is the interval between two samples.
const sampleEvery = time.Second

// sampleMemory samples the memory of a server and of its ClickHouse until stop is called.
func (r *SoakReport) sampleMemory(pid int) (stop func()) {
	r.Server.Every, r.ClickHouse.Every = sampleEvery, sampleEvery
	done, watching := make(chan struct{}), sync.WaitGroup{}
	watching.Go(func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			r.Server.sample(pid)
			r.ClickHouse.sample(descendants(pid)...)
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

func (m *Memory) sample(pids ...int) {
	var sum uint64
	for _, pid := range pids {
		n, ok := resident(pid)
		if !ok {
			return
		}
		sum += n
	}
	m.Samples = append(m.Samples, sum)
}

// settled returns the samples of the second half, when all connections are open and caches are
// filled.
func (m Memory) settled() []uint64 { return m.Samples[len(m.Samples)/2:] }

// Slope returns the growth of memory, bytes per minute: the least-squares slope of the second half.
func (m Memory) Slope() float64 {
	list := m.settled()
	if len(list) < 2 {
		return 0
	}
	var n, x, y, xx, xy float64
	for i, bytes := range list {
		at := (time.Duration(i) * m.Every).Minutes()
		n, x, y, xx, xy = n+1, x+at, y+float64(bytes), xx+at*at, xy+at*float64(bytes)
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// Mean returns the mean of the second half, bytes.
func (m Memory) Mean() float64 {
	list := m.settled()
	if len(list) == 0 {
		return 0
	}
	var sum float64
	for _, bytes := range list {
		sum += float64(bytes)
	}
	return sum / float64(len(list))
}

// flatShare is the share of its mean by which a process's memory may grow in a minute and still
// count as flat.
const flatShare = 0.01

func (m Memory) flat() bool { return m.Slope() <= flatShare*m.Mean() }
