package metrictest

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	counted = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "tapedeck_test_counted_total", Help: "."}, []string{"a"})
	seconds = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "tapedeck_test_seconds", Help: "."})
)

func init() { prometheus.MustRegister(counted, seconds) }

// recorded is a test whose errors are kept.
type recorded struct {
	testing.TB
	ends   []func()
	errors int
}

func (r *recorded) Helper()               { /* it has no place in the output */ }
func (r *recorded) Cleanup(f func())      { r.ends = append(r.ends, f) }
func (r *recorded) Errorf(string, ...any) { r.errors++ }

// A metric that stays as it was fails the test.
func TestGrow(t *testing.T) {
	r := &recorded{TB: t}
	counted.WithLabelValues("before").Inc()
	Grow(r, "tapedeck_test_counted_total", "tapedeck_test_seconds", "tapedeck_test_absent")
	counted.WithLabelValues("b").Inc()
	for _, end := range r.ends {
		end()
	}
	if r.errors != 2 {
		t.Errorf("%d errors, want those of the histogram and of the metric that is absent", r.errors)
	}
	Grow(t, "tapedeck_test_counted_total", "tapedeck_test_seconds")
	counted.WithLabelValues("b").Inc()
	seconds.Observe(0)
}

func TestSources(t *testing.T) {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "tapedeck_test_gauge", Help: "."})
	g.Set(-2)
	Of(g).Show(t, "tapedeck_test_gauge")
	got := Scraped(func() string {
		return strings.Join([]string{"# HELP a x", "a 0", `b{x="1 2"} 1`, `b{x="3"} 2e3`, "c_bucket{le=\"1\"} 4", "c_sum 0.5", "c_count 4", ""}, "\n")
	})(t)
	if got["a"] != 0 || got["b"] != 2001 || got["c"] != 4 {
		t.Errorf("%v", got)
	}
}
