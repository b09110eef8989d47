package budget

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/problem"
)

const (
	// WriterBytes is the default of the bytes of a budget of writers.
	WriterBytes = 512 << 20
	// writerWait is how long a writer waits for bytes. It is shorter than the time for which a body
	// or a WebSocket waits under backpressure, so that the refusal names the limit.
	writerWait = 25 * time.Second
)

// NewWriters returns a budget of writers: taps that hold large frames, or large blocks, which have
// arrived and are not published. 0 bytes selects the default, as for Options.
func NewWriters(opts Options) *Budget {
	opts.Bytes = cmp.Or(opts.Bytes, WriterBytes)
	opts.Wait = cmp.Or(opts.Wait, writerWait)
	return &Budget{opts: opts, writers: true, refused: writersRefused.CounterVec()}
}

// Write returns the grant of a writer, which holds nothing yet. A nil budget returns nil.
func (b *Budget) Write() *Grant {
	if b == nil {
		return nil
	}
	return &Grant{budget: b}
}

func (b *Budget) writersFull() *problem.Problem {
	b.refused.WithLabelValues().Inc()
	return &problem.Problem{
		Title: "Too many large frames", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second, Limit: writersLimit,
		Detail: fmt.Sprintf("Large frames that arrive take the %d bytes of memory that this server has for them.", b.opts.Bytes),
		Hint:   "Try again later, or start the server with a larger --" + writersLimit + ".",
	}
}

// collectWriters collects the metrics of a budget of writers.
func (b *Budget) collectWriters(to chan<- prometheus.Metric) {
	b.mu.Lock()
	used, waiting := b.used, len(b.waiting)
	b.mu.Unlock()
	to <- prometheus.MustNewConstMetric(writerBytesDesc, prometheus.GaugeValue, float64(used))
	to <- prometheus.MustNewConstMetric(writersWaitingDesc, prometheus.GaugeValue, float64(waiting))
	b.refused.Collect(to)
}
