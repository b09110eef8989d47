// Package diskspace measures the file systems of tapedeck's data.
package diskspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

// Space is the space on a file system, bytes.
type Space struct {
	Free uint64 `json:"free_bytes"` // free for this process
	Size uint64 `json:"size_bytes"`
}

// Of measures the file system of dir, which need not exist yet.
func Of(dir string) (Space, error) {
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return Space{}, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return Space{Free: disk.Bavail * uint64(disk.Bsize), Size: disk.Blocks * uint64(disk.Bsize)}, nil
}

// smallDisk limits the required free space to a 20th of the disk, so that a small disk is not
// reported permanently.
const smallDisk = 20

// Low reports whether the free space is below least, or below a 20th of the disk if that is less.
func (s Space) Low(least uint64) bool { return s.Free < min(least, s.Size/smallDisk) }

var (
	freeMetric = metric.GaugeDesc(metric.Ingest, "tapedeck_disk_free_bytes",
		"Bytes free on the file system of a directory of this process.", "dir")
	sizeMetric = metric.GaugeDesc(metric.Ingest, "tapedeck_disk_size_bytes",
		"Size of the file system of a directory of this process.", "dir")
)

// Collector measures the file system of a directory for Prometheus.
type Collector struct{ Dir string }

// Describe implements prometheus.Collector.
func (Collector) Describe(descs chan<- *prometheus.Desc) {
	descs <- freeMetric
	descs <- sizeMetric
}

// Collect implements prometheus.Collector.
func (c Collector) Collect(metrics chan<- prometheus.Metric) {
	space, err := Of(c.Dir)
	if err != nil {
		return // omit this metric instead of failing the scrape
	}
	metrics <- prometheus.MustNewConstMetric(freeMetric, prometheus.GaugeValue, float64(space.Free), c.Dir)
	metrics <- prometheus.MustNewConstMetric(sizeMetric, prometheus.GaugeValue, float64(space.Size), c.Dir)
}
