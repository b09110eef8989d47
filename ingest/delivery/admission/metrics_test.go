package admission

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/ingest"
	"tapedeck/internal/metric/metrictest"
)

// held is a publisher that keeps blocks until the test settles them.
type held struct {
	err   error
	dones []func(error)
}

func (h *held) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	if h.err == nil {
		h.dones = append(h.dones, done)
	}
	return h.err
}

func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		count := func(outcome string) float64 {
			return testutil.ToFloat64(ingestBlocks.WithLabelValues("counted", outcome))
		}
		volume := func() (frames, bytes float64) {
			return testutil.ToFloat64(ingestFrames.WithLabelValues("counted")), testutil.ToFloat64(ingestBytes.WithLabelValues("counted"))
		}
		before := map[string]float64{durable: count(durable), failed: count(failed), refused: count(refused)}
		framesBefore, bytesBefore := volume()
		next := &held{}
		p := New(t.Context(), Options{Next: next})
		state := func(blocks, age string) {
			t.Helper()
			want := strings.NewReplacer("BLOCKS", blocks, "AGE", age).Replace(`
# HELP tapedeck_ingest_oldest_unacknowledged_seconds Age of the oldest block that was offered and is neither durable nor refused; 0 if there is none.
# TYPE tapedeck_ingest_oldest_unacknowledged_seconds gauge
tapedeck_ingest_oldest_unacknowledged_seconds AGE
# HELP tapedeck_ingest_unacknowledged_blocks Blocks that were offered and are neither durable nor refused.
# TYPE tapedeck_ingest_unacknowledged_blocks gauge
tapedeck_ingest_unacknowledged_blocks BLOCKS
`)
			if err := testutil.CollectAndCompare(p, strings.NewReader(want)); err != nil {
				t.Error(err)
			}
		}
		publish := func(frames int) error {
			return p.Publish(t.Context(), ingest.EncodedBlock{Tenant: "counted", Frames: frames, Data: make([]byte, 10)}, func(error) {})
		}
		state("0", "0")
		_ = publish(3)
		time.Sleep(2 * time.Second) // virtual time: the age of the first block
		_ = publish(4)
		time.Sleep(time.Second) // virtual time: the age of the first block
		state("2", "3")
		metrictest.Of(p).Show(t, "tapedeck_ingest_oldest_unacknowledged_seconds", "tapedeck_ingest_unacknowledged_blocks")
		next.dones[0](nil)
		state("1", "1")
		next.dones[1](errors.New("abandoned"))
		next.err = errors.New("no room")
		if err := publish(5); !errors.Is(err, next.err) {
			t.Error(err)
		}
		state("0", "0")
		for outcome, n := range before {
			if got := count(outcome) - n; got != 1 {
				t.Errorf("%s: %v", outcome, got)
			}
		}
		if frames, size := volume(); frames-framesBefore != 3 || size-bytesBefore != 10 {
			t.Errorf("%v frames, %v bytes", frames-framesBefore, size-bytesBefore)
		}
	})
}
