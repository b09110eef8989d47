// Package metric declares the metrics of tapedeck: each once, with its name, kind, labels, help and
// the role of the processes that count it. docs/reference/metrics.md is generated from the
// declarations.
package metric

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Role names the processes that count a metric. Other processes report 0 or nothing.
type Role string

// The roles.
const (
	Any     Role = "any"       // every server
	Ingest  Role = "ingest"    // tapedeck serve --role ingest
	Sink    Role = "sink"      // tapedeck serve --role sink
	API     Role = "api"       // tapedeck serve --role api
	SinkAPI Role = "sink, api" // one of the two
	Local   Role = "up"        // tapedeck up
	Proxy   Role = "proxy"     // tapedeck proxy
)

// Kind is the type of a metric as Prometheus names it.
type Kind string

// The kinds.
const (
	CounterKind   Kind = "counter"
	GaugeKind     Kind = "gauge"
	HistogramKind Kind = "histogram"
)

// Definition declares a metric.
type Definition struct {
	Role   Role
	Kind   Kind
	Name   string // with the prefix tapedeck_
	Help   string // one sentence or several
	Labels []string
}

var declared = struct {
	sync.Mutex
	by map[string]Definition
}{by: map[string]Definition{}}

// Define declares a metric. It panics if the name is declared already.
func Define(role Role, kind Kind, name, help string, labels ...string) Definition {
	d := Definition{role, kind, name, help, labels}
	declared.Lock()
	defer declared.Unlock()
	if _, taken := declared.by[name]; taken {
		panic(fmt.Sprintf("metric %s is declared twice", name))
	}
	declared.by[name] = d
	return d
}

// All returns the declared metrics of all packages of this program, by name.
func All() []Definition {
	declared.Lock()
	defer declared.Unlock()
	all := make([]Definition, 0, len(declared.by))
	for _, d := range declared.by {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Unit returns the unit of the values: seconds, bytes, or "" for a count.
func (d Definition) Unit() string {
	name := strings.TrimSuffix(d.Name, "_total")
	for _, unit := range []string{"seconds", "bytes", "ratio"} {
		if strings.HasSuffix(name, "_"+unit) {
			return unit
		}
	}
	return ""
}

// Desc returns the description for a collector that measures on demand.
func (d Definition) Desc() *prometheus.Desc {
	return prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
}

// Counter returns a counter that is not registered.
func (d Definition) Counter() prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: d.Name, Help: d.Help})
}

// CounterVec returns counters that are not registered.
func (d Definition) CounterVec() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: d.Name, Help: d.Help}, d.Labels)
}

// Gauge returns a gauge that is not registered.
func (d Definition) Gauge() prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: d.Name, Help: d.Help})
}

// GaugeVec returns gauges that are not registered.
func (d Definition) GaugeVec() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: d.Name, Help: d.Help}, d.Labels)
}

// Histogram returns a histogram that is not registered.
func (d Definition) Histogram(buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: buckets})
}

// HistogramVec returns histograms that are not registered.
func (d Definition) HistogramVec(buckets []float64) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: d.Name, Help: d.Help, Buckets: buckets}, d.Labels)
}
