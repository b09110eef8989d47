package jetstream_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"syscall"
	"testing"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
)

// BenchmarkPublish publishes blocks of 6.5 KB, as those of a file of short
// sessions are, and waits until all are confirmed. cpu-us/block is the processor
// time that publisher and server take together.
func BenchmarkPublish(b *testing.B) {
	nc := localtest.NATS(b)
	js, err := njs.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(b.Context(), js, jetstream.Config{MaxBytes: 8 << 30}); err != nil {
		b.Fatal(err)
	}
	p, err := jetstream.NewPublisher(nc)
	if err != nil {
		b.Fatal(err)
	}
	data := make([]byte, 6500)
	for i := range data {
		data[i] = byte(rand.Int())
	}
	b.SetBytes(int64(len(data)))
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	var inFlight sync.WaitGroup
	n := 0
	for b.Loop() {
		inFlight.Add(1)
		encoded := ingest.EncodedBlock{Tenant: "default", Session: "sess-" + strconv.Itoa(n), ID: "stream.opened." + strconv.Itoa(n), Data: data}
		n++
		err := p.Publish(b.Context(), encoded, func(err error) {
			if err != nil {
				b.Error(err)
			}
			inFlight.Done()
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	bounded.Wait(b, inFlight.Wait)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	cpu := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(cpu)/1e3/float64(b.N), "cpu-us/block")
}
