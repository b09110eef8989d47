package sink_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

// Two sinks that share the partitions take at most 15 % longer than one on the same cores for the
// same frames. Passes alternate, so that both have the same machine.
func TestTwoSinksSpeed(t *testing.T) {
	if !speedtest.Wanted() {
		t.Skip("a measurement: set " + speedtest.Env)
	}
	const pairs, sessions, frames = 5, 40, 10_000
	took := map[int][]float64{}
	pass := func(t *testing.T, sinks int) {
		b := newPartitionedBench(t, 4)
		p, err := jetstream.NewPublisher(b.nc)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sessions {
			s, err := ingest.NewRecorder(p, ingest.Settings{}).Open(ingest.StreamOptions{Session: fmt.Sprint("s", i), Dialect: "loom"})
			if err != nil {
				t.Fatal(err)
			}
			for n := range frames {
				if err := s.Record(t.Context(), &schema.Frame{At: ingest.Now(), Raw: []byte(line(n))}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Close(t.Context(), "eof"); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		for range sinks {
			b.run(sink.Options{})
		}
		b.eventually("SELECT uniqExact(session_id, seq) FROM frames", sessions*frames)
		took[sinks] = append(took[sinks], time.Since(began).Seconds())
	}
	var ratios []float64
	for i := range pairs {
		order := []int{1, 2}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, sinks := range order {
			t.Run(fmt.Sprint(i, " ", sinks), func(t *testing.T) { pass(t, sinks) })
		}
		ratios = append(ratios, took[2][i]/took[1][i])
	}
	middle := slices.Sorted(slices.Values(ratios))[pairs/2]
	t.Logf("%d frames: one sink %.3v s, two sinks %.3v s, ratio median %.3f of %.3v", sessions*frames, took[1], took[2], middle, ratios)
	if middle > 1.15 {
		t.Errorf("two sinks take %.3f of the time of one, want 1.15", middle)
	}
}
