package engine

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// totalMemory returns the machine's memory or the container's limit, whichever is less, bytes; 0 if
// both are unknown.
func totalMemory() uint64 {
	var total uint64
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		total = uint64(info.Totalram) * uint64(info.Unit)
	}
	for _, file := range []string{
		"/sys/fs/cgroup/memory.max",                   // cgroup 2
		"/sys/fs/cgroup/memory/memory.limit_in_bytes", // cgroup 1
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// "max" does not parse, which correctly means no limit.
		limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && limit > 0 && (total == 0 || limit < total) {
			total = limit
		}
	}
	return total
}
