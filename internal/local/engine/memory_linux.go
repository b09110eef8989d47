package engine

import (
	"golang.org/x/sys/unix"

	"tapedeck/internal/memorylimit"
)

// totalMemory returns the limit of the process's control groups, or else the machine's memory, in
// bytes; 0 if both are unknown.
func totalMemory() uint64 {
	if group := memorylimit.Group(); group > 0 {
		return group
	}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
