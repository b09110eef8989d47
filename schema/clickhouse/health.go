package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/prometheus/client_golang/prometheus"
)

// Health is the uptime and the disks of a ClickHouse server.
type Health struct {
	UptimeS uint32 `json:"uptime_s"`
	// Disks are the disks of its tables; empty if the user has no access.
	Disks []Disk `json:"disks,omitempty"`
}

// Disk is one of the server's local disks.
type Disk struct {
	Name string `json:"name"`
	Free uint64 `json:"free_bytes"`
	Size uint64 `json:"size_bytes"`
}

// ReadHealth reads the health of a server.
func ReadHealth(ctx context.Context, db driver.Conn) (Health, error) {
	var h Health
	if err := db.QueryRow(ctx, readUptime).Scan(&h.UptimeS); err != nil {
		return h, fmt.Errorf("ask ClickHouse for its uptime: %w", err)
	}
	rows, err := db.Query(ctx, readDisks)
	if err != nil {
		return h, nil // the user has no access to system.disks
	}
	defer rows.Close()
	for rows.Next() {
		var d Disk
		if err := rows.Scan(&d.Name, &d.Free, &d.Size); err != nil {
			return h, fmt.Errorf("read ClickHouse's disks: %w", err)
		}
		h.Disks = append(h.Disks, d)
	}
	if err := rows.Err(); err != nil {
		return h, fmt.Errorf("read ClickHouse's disks: %w", err)
	}
	return h, nil
}

// HealthCollector collects the health of a server for Prometheus.
type HealthCollector struct{ DB driver.Conn }

// healthTimeout bounds how long a scrape waits for ClickHouse.
const healthTimeout = 2 * time.Second

var (
	upMetric       = prometheus.NewDesc("tapedeck_clickhouse_up", "1 if ClickHouse answers, else 0.", nil, nil)
	uptimeMetric   = prometheus.NewDesc("tapedeck_clickhouse_uptime_seconds", "Time since ClickHouse was started: it falls when ClickHouse restarts.", nil, nil)
	diskFreeMetric = prometheus.NewDesc("tapedeck_clickhouse_disk_free_bytes", "Bytes free on a disk of ClickHouse's.", []string{"disk"}, nil)
	diskSizeMetric = prometheus.NewDesc("tapedeck_clickhouse_disk_size_bytes", "Size of a disk of ClickHouse's.", []string{"disk"}, nil)
)

// Describe implements prometheus.Collector.
func (HealthCollector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{upMetric, uptimeMetric, diskFreeMetric, diskSizeMetric} {
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
	for _, d := range h.Disks {
		gauge(diskFreeMetric, float64(d.Free), d.Name)
		gauge(diskSizeMetric, float64(d.Size), d.Name)
	}
}
