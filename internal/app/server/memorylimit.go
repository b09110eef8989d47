package server

import (
	"bytes"
	"os"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/metric"
)

var memoryLimitMetric = metric.Define(metric.Any, metric.GaugeKind, "tapedeck_memory_limit_bytes",
	"Memory that this process and its children may take: the limit of its control group, or else the memory of the machine; 0 if neither is known.")

// memoryLimit returns a gauge of the memory that the process may take.
func memoryLimit() prometheus.Collector { // of a process in a container
	g := memoryLimitMetric.Gauge()
	group, _ := os.ReadFile("/sys/fs/cgroup/memory.max") // of a process in a container
	machine, _ := os.ReadFile("/proc/meminfo")
	g.Set(float64(memoryOf(group, machine)))
	return g
}

// memoryOf returns the limit of a control group, or the memory of the machine, from the contents of
// kernel files.
func memoryOf(group, machine []byte) uint64 {
	if limit, err := strconv.ParseUint(string(bytes.TrimSpace(group)), 10, 63); err == nil { // otherwise it is "max"
		return limit
	}
	for line := range bytes.Lines(machine) {
		if f := bytes.Fields(line); len(f) == 3 && string(f[0]) == "MemTotal:" {
			kib, _ := strconv.ParseUint(string(f[1]), 10, 53)
			return kib << 10
		}
	}
	return 0
}
