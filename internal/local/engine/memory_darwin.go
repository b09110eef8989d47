package engine

import "golang.org/x/sys/unix"

// totalMemory returns the machine's memory in bytes; 0 if it is unknown.
func totalMemory() uint64 {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return total
}
