package clickhouse

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// HealthCollector collects the health and the load of a server for Prometheus.
type HealthCollector struct{ DB driver.Conn }

// healthTimeout bounds how long a scrape waits for ClickHouse.
const healthTimeout = 2 * time.Second

var (
	upMetric     = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_up", "1 if ClickHouse answers, else 0.")
	uptimeMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_uptime_seconds",
		"Time since ClickHouse was started: it falls when ClickHouse restarts.")
	answerMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_answer_seconds",
		"Time that ClickHouse took to answer a statement that reads no table.")
	clockMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_clock_ahead_seconds",
		"By how much the clock of ClickHouse is ahead of the clock of this process; negative if it is behind.")
	partsMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_partition_parts",
		"Most active parts in one partition of tapedeck's tables. ClickHouse delays inserts above 1000 and refuses them above 3000.")
	memoryMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_memory_bytes",
		"Memory that ClickHouse has allocated.")
	diskFreeMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_disk_free_bytes",
		"Bytes free on a local disk of ClickHouse.", "disk")
	diskSizeMetric = metric.GaugeDesc(metric.SinkAPI, "tapedeck_clickhouse_disk_size_bytes",
		"Size of a local disk of ClickHouse.", "disk")
)

// Describe implements prometheus.Collector.
func (HealthCollector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		upMetric, uptimeMetric, answerMetric, clockMetric, partsMetric, memoryMetric, diskFreeMetric, diskSizeMetric,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (c HealthCollector) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), healthTimeout)
	defer cancel()
	h, err := ReadHealth(ctx, c.DB)
	if err != nil {
		gauge(upMetric, 0)
		return
	}
	gauge(upMetric, 1)
	gauge(uptimeMetric, float64(h.UptimeS))
	gauge(answerMetric, h.AnswerMS/1e3)
	gauge(clockMetric, h.ClockMS/1e3)
	for _, d := range h.Disks {
		gauge(diskFreeMetric, float64(d.Free), d.Name)
		gauge(diskSizeMetric, float64(d.Size), d.Name)
	}
	var parts, memory uint64
	if c.DB.QueryRow(ctx, readLoad).Scan(&parts, &memory) != nil {
		return // the user has no access to system.parts
	}
	gauge(partsMetric, float64(parts))
	gauge(memoryMetric, float64(memory))
}
