package upload

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
)

// confirming is a publisher that has everything durable at once.
type confirming struct{ queue chan func(error) }

func (c *confirming) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	c.queue <- done
	return nil
}

// BenchmarkUpload sends blocks of 64 KiB over loopback, client and server in this
// process. cpu-s/GB is the processor time that both take together.
func BenchmarkUpload(b *testing.B) {
	next := &confirming{queue: make(chan func(error), 256)}
	var running sync.WaitGroup
	running.Go(func() {
		for done := range next.queue {
			done(nil)
		}
	})
	server := NewServer(ServerOptions{Next: next})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	hs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.Blocks(w, r, "") })}
	running.Go(func() { hs.Serve(l) })
	c, err := Dial(b.Context(), Options{Server: "http://" + l.Addr().String()})
	if err != nil {
		b.Fatal(err)
	}
	p := testBlock(1, 64<<10)
	var open sync.WaitGroup
	b.SetBytes(64 << 10)
	b.ReportAllocs()
	var peak uint64
	started, sample := cpu(), time.Now()
	for b.Loop() {
		open.Add(1)
		if err := c.Publish(b.Context(), p, func(error) { open.Done() }); err != nil {
			b.Fatal(err)
		}
		if time.Since(sample) > 100*time.Millisecond {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak, sample = max(peak, m.HeapInuse), time.Now()
		}
	}
	bounded.Wait(b, open.Wait)
	b.ReportMetric((cpu()-started).Seconds()/(float64(b.N)*65536/1e9), "cpu-s/GB")
	b.ReportMetric(float64(peak)/1e6, "peak-heap-MB")
	c.Close(b.Context())
	server.Close(b.Context())
	hs.Close()
	close(next.queue)
	bounded.Wait(b, running.Wait)
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkDelay measures how long a block takes from Publish to the server's publisher, and to
// its confirmation, at 500 blocks of 2 KiB a second.
func BenchmarkDelay(b *testing.B) {
	arrived := make(chan time.Time, 1)
	server := NewServer(ServerOptions{Next: arriving(arrived)})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	hs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.Blocks(w, r, "") })}
	go hs.Serve(l)
	c, err := Dial(b.Context(), Options{Server: "http://" + l.Addr().String()})
	if err != nil {
		b.Fatal(err)
	}
	p := testBlock(1, 2048)
	var there, back []float64 // µs
	tick := time.NewTicker(2 * time.Millisecond)
	for b.Loop() {
		<-tick.C
		confirmed := make(chan time.Time, 1)
		start := time.Now()
		if err := c.Publish(b.Context(), p, func(error) { confirmed <- time.Now() }); err != nil {
			b.Fatal(err)
		}
		there = append(there, float64((<-arrived).Sub(start).Nanoseconds())/1e3)
		back = append(back, float64((<-confirmed).Sub(start).Nanoseconds())/1e3)
	}
	tick.Stop()
	for name, all := range map[string][]float64{"there": there, "back": back} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], name+"-p50-us")
		b.ReportMetric(all[len(all)*99/100], name+"-p99-us")
	}
	c.Close(b.Context())
	server.Close(b.Context())
	hs.Close()
}

// arriving is a publisher that reports when a block came, and has it durable at once.
type arriving chan time.Time

func (a arriving) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	a <- time.Now()
	go done(nil)
	return nil
}
