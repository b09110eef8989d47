package upload

import (
	"context"
	"net"
	"net/http"
	"runtime"
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
