package bench

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// SoakReport is what a soak found.
type SoakReport struct {
	Version string
	Options SoakOptions
	Machine Machine
	Took    time.Duration // of the recording
	CPU     time.Duration // of all processes meanwhile, this one among them

	Expected, Sent, Confirmed, Stored int // frames; Confirmed, Sent include the looped ones
	Looped                            int // frames of sessions that were recorded before
	Followed                          int // frames that followers read
	Replays, Replayed                 int // playbacks of stored sessions, and their frames
	Errors                            int
	FirstErrors                       []string
	Logged                            []string // errors in the server's log, the first of each kind

	Program, Engine memory
}

// memory is the resident memory of a process over time.
type memory struct{ samples []memorySample }

type memorySample struct {
	at    time.Duration
	bytes float64
}

// memoryEvery is the interval between two samples.
const memoryEvery = time.Second

// watch samples the memory of a server and of its ClickHouse until stop is called.
func (r *SoakReport) watch(pid int) (stop func()) {
	done, watching := make(chan struct{}), sync.WaitGroup{}
	began := time.Now()
	watching.Go(func() {
		tick := time.NewTicker(memoryEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			r.Program.sample(time.Since(began), pid)
			r.Engine.sample(time.Since(began), descendants(pid)...)
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

func (m *memory) sample(at time.Duration, pids ...int) {
	var sum uint64
	for _, pid := range pids {
		n, ok := resident(pid)
		if !ok {
			return
		}
		sum += n
	}
	m.samples = append(m.samples, memorySample{at, float64(sum)})
}

// settled returns the samples of the second half, when all connections are open and caches
// are filled.
func (m *memory) settled() []memorySample { return m.samples[len(m.samples)/2:] }

// slope returns by how much memory grew, bytes per minute: the least squares over the second half.
func (m *memory) slope() float64 {
	list := m.settled()
	if len(list) < 2 {
		return 0
	}
	var n, x, y, xx, xy float64
	for _, s := range list {
		at := s.at.Minutes()
		n, x, y, xx, xy = n+1, x+at, y+s.bytes, xx+at*at, xy+at*s.bytes
	}
	return (n*xy - x*y) / (n*xx - x*x)
}

// mean returns the mean of the second half, bytes.
func (m *memory) mean() float64 {
	list := m.settled()
	if len(list) == 0 {
		return 0
	}
	var sum float64
	for _, s := range list {
		sum += s.bytes
	}
	return sum / float64(len(list))
}

// flatShare is how much of its mean a process's memory may grow by in a minute and be flat.
const flatShare = 0.01

func (m *memory) flat() bool { return m.slope() <= flatShare*m.mean() }

// Err returns why the soak failed, nil if it did not.
func (r *SoakReport) Err() error {
	switch {
	case r.Stored != r.Expected:
		return fmt.Errorf("%d of %d frames were read back", r.Stored, r.Expected)
	case r.Errors > 0:
		return fmt.Errorf("%d errors; the first: %v", r.Errors, r.FirstErrors)
	case !r.Program.flat():
		return fmt.Errorf("the server's memory grew by %s a minute", mebibytes(r.Program.slope()))
	}
	return nil
}

// Write writes the report as Markdown.
func (r *SoakReport) Write(w io.Writer) error {
	o := r.Options
	_, err := fmt.Fprintf(w, `# Soak

Written by `+"`make soak`"+` on %s: tapedeck %s, %s, %d cores, memory %s.

%d connections record, with %d replays at once, half of which follow running sessions, for %v. Every frame is compared byte by byte, when it is replayed and when it is read back at the end.

| | |
|---|---:|
| frames sent | %d |
| confirmed | %d |
| read back | %d of %d |
| read by followers | %d |
| playbacks of stored sessions, and their frames | %d, %d |
| errors | %d |
| time of the recording | %v |
| CPU, the client's included | %.2f cores |
| memory of the server, mean and growth in the second half | %s, %s a minute |
| memory of ClickHouse, mean and growth in the second half | %s, %s a minute |
`, time.Now().UTC().Format("2006-01-02"), r.Version, r.Machine.CPU, r.Machine.Cores, r.Machine.Memory, o.Connections, o.Replays, o.For,
		r.Sent-r.Looped, r.Confirmed-r.Looped, r.Stored, r.Expected, r.Followed, r.Replays, r.Replayed, r.Errors,
		r.Took.Round(time.Second), r.CPU.Seconds()/max(r.Took.Seconds(), 1),
		mebibytes(r.Program.mean()), mebibytes(r.Program.slope()), mebibytes(r.Engine.mean()), mebibytes(r.Engine.slope()))
	for _, text := range r.FirstErrors {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n- %s\n", strings.TrimSpace(text))
		}
	}
	for _, text := range r.Logged {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n- the server logged %s\n", text)
		}
	}
	return err
}

func mebibytes(n float64) string { return fmt.Sprintf("%.1f MiB", n/(1<<20)) }
