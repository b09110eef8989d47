package jetstream_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/speedtest"
)

// Publishing over four partitions is at least 0.95 times as fast as to one stream on the same cores.
// Passes alternate, so that both have the same machine.
func TestPartitionSpeed(t *testing.T) {
	if !speedtest.Wanted() {
		t.Skip("a measurement: set " + speedtest.Env)
	}
	const pairs, lasts, framesPerBlock, sessions = 9, time.Second, 175, 500
	data := make([]byte, 6200) // the mean size of the blocks of docs/benchmarks.md
	_, _ = rand.Read(data)     // never fails
	messages, blocksOf := map[int]float64{}, map[int]float64{}
	rates, cpu := map[int][]float64{}, map[int][]float64{}
	pass := func(of int) {
		nc := localtest.NATS(t)
		js, err := njs.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 8 << 30, Partitions: of}); err != nil {
			t.Fatal(err)
		}
		p, err := jetstream.NewPublisher(nc)
		if err != nil {
			t.Fatal(err)
		}
		var acks sync.WaitGroup
		began, used, blocks := time.Now(), ownCPU(t), 0
		for ; time.Since(began) < lasts; blocks++ {
			acks.Add(1)
			b := ingest.EncodedBlock{Tenant: "acme", Session: fmt.Sprint("s", blocks%sessions), ID: fmt.Sprint("b", blocks), Frames: framesPerBlock, Data: data}
			err := p.Publish(t.Context(), b, func(err error) {
				if err != nil {
					t.Error(err)
				}
				acks.Done()
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		acks.Wait()
		frames := float64(blocks * framesPerBlock)
		rates[of] = append(rates[of], frames/time.Since(began).Seconds())
		cpu[of] = append(cpu[of], (ownCPU(t)-used).Seconds()/frames*1e6)
		for i := range of {
			s, err := js.Stream(t.Context(), jetstream.PartitionName(i))
			if err != nil {
				t.Fatal(err)
			}
			messages[of] += float64(s.CachedInfo().State.Msgs)
		}
		blocksOf[of] += float64(blocks)
		for i := range of { // the disk has room for the next pass
			if err := js.DeleteStream(t.Context(), jetstream.PartitionName(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ratios []float64
	for i := range pairs {
		order := []int{1, 4}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, of := range order {
			pass(of)
		}
		ratios = append(ratios, rates[4][i]/rates[1][i])
	}
	middle := func(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
	for _, of := range []int{1, 4} {
		t.Logf("%d partitions: %.0f frames/s, %.3f CPU seconds per million frames, %.1f blocks in a message", of,
			middle(rates[of]), middle(cpu[of]), blocksOf[of]/messages[of])
	}
	t.Logf("ratio of 4 partitions to 1: median %.3f of %.3v", middle(ratios), ratios)
	if middle(ratios) < 0.95 {
		t.Errorf("publishing over 4 partitions has %.3f of the rate of one stream, want 0.95", middle(ratios))
	}
}

// ownCPU returns the processor time of this process, with its NATS server.
func ownCPU(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
