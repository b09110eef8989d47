package metric

import "github.com/prometheus/client_golang/prometheus"

// The functions below declare a metric of the process and register it in Prometheus's default
// registry, which /metrics serves together with the metrics of the server.

// Counter declares and registers a counter.
func Counter(role Role, name, help string) prometheus.Counter {
	return registered(Define(role, CounterKind, name, help).Counter())
}

// CounterVec declares and registers counters with labels.
func CounterVec(role Role, name, help string, labels ...string) *prometheus.CounterVec {
	return registered(Define(role, CounterKind, name, help, labels...).CounterVec())
}

// CounterVecOf is like CounterVec for one label whose values are known. Their series are 0 from the
// start: increase() and rate() do not count the first value of a series, so an alert would miss the
// first event.
func CounterVecOf(role Role, name, help, label string, values ...string) *prometheus.CounterVec {
	v := CounterVec(role, name, help, label)
	for _, value := range values {
		v.WithLabelValues(value)
	}
	return v
}

// Gauge declares and registers a gauge.
func Gauge(role Role, name, help string) prometheus.Gauge {
	return registered(Define(role, GaugeKind, name, help).Gauge())
}

// GaugeVec declares and registers gauges with labels.
func GaugeVec(role Role, name, help string, labels ...string) *prometheus.GaugeVec {
	return registered(Define(role, GaugeKind, name, help, labels...).GaugeVec())
}

// Histogram declares and registers a histogram.
func Histogram(role Role, name, help string, buckets []float64) prometheus.Histogram {
	return registered(Define(role, HistogramKind, name, help).Histogram(buckets))
}

// HistogramVec declares and registers histograms with labels.
func HistogramVec(role Role, name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return registered(Define(role, HistogramKind, name, help, labels...).HistogramVec(buckets))
}

// GaugeDesc declares a gauge that a collector measures.
func GaugeDesc(role Role, name, help string, labels ...string) *prometheus.Desc {
	return Define(role, GaugeKind, name, help, labels...).Desc()
}

// CounterDesc declares a counter that a collector measures.
func CounterDesc(role Role, name, help string, labels ...string) *prometheus.Desc {
	return Define(role, CounterKind, name, help, labels...).Desc()
}

func registered[C prometheus.Collector](c C) C {
	prometheus.MustRegister(c)
	return c
}
