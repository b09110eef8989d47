// Package metrictest checks that metrics change. A test of deploy/prometheus searches all tests for
// calls of Grow and Show, such as Show(t, "tapedeck_…"): one of these calls must name each metric
// that stays 0 on the servers of that test.
package metrictest

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/bounded"
)

// Source returns metrics by name: the sum of the absolute values of all series, or the number of
// observations of a histogram.
type Source func(testing.TB) map[string]float64

// Process returns the metrics of the process's default registry.
var Process = Gathered(prometheus.DefaultGatherer)

// Gathered returns the metrics of a registry.
func Gathered(from prometheus.Gatherer) Source {
	return func(t testing.TB) map[string]float64 {
		t.Helper()
		families, err := from.Gather()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				all[f.GetName()] += math.Abs(m.GetCounter().GetValue()) + math.Abs(m.GetGauge().GetValue()) + float64(m.GetHistogram().GetSampleCount())
			}
		}
		return all
	}
}

// Of returns the metrics of collectors that are not registered.
func Of(collectors ...prometheus.Collector) Source {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors...)
	return Gathered(r)
}

var sample = regexp.MustCompile(`(?m)^([a-z0-9_]+)(?:\{.*\})? (\S+)$`)

// Scraped returns the metrics of a process from its answer to /metrics.
func Scraped(scrape func() string) Source {
	return func(t testing.TB) map[string]float64 {
		t.Helper()
		all := map[string]float64{}
		for _, m := range sample.FindAllStringSubmatch(scrape(), -1) {
			v, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatalf("%s: %v", m[0], err)
			}
			all[strings.TrimSuffix(m[1], "_count")] += math.Abs(v)
		}
		return all
	}
}

// Show waits until each of these metrics differs from 0.
func (s Source) Show(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		bounded.Until(t, name+" is other than 0", func() bool { return s(t)[name] != 0 })
	}
}

// Show waits until each of these metrics of the process differs from 0.
func Show(t testing.TB, names ...string) {
	t.Helper()
	Process.Show(t, names...)
}

// Grow checks at the end of a test that each of these counters and histograms of the process has
// grown since the call.
func Grow(t testing.TB, names ...string) {
	t.Helper()
	before := Process(t)
	t.Cleanup(func() {
		after := Process(t)
		for _, name := range names {
			if after[name] <= before[name] {
				t.Errorf("%s is %v at the end of the test, and was %v before", name, after[name], before[name])
			}
		}
	})
}
