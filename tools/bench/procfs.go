package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Processes are measured through /proc, which exists on Linux. On other systems these functions
// return false, and the report says "not measured".

// tick is the unit of CPU times in /proc: USER_HZ is 100 on all platforms of Go.
const tick = 10 * time.Millisecond

// stat is the state of a process from /proc.
type stat struct {
	parent int
	cpu    time.Duration // user and system time, including threads but not children
}

func readStat(pid int) (stat, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, false
	}
	// The name, in parentheses, may contain any character. See proc(5) for the fields.
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	const parent, user, system = 1, 11, 12
	if len(f) <= system {
		return stat{}, false
	}
	var n [3]int
	for i, field := range []int{parent, user, system} {
		if n[i], err = strconv.Atoi(f[field]); err != nil {
			return stat{}, false
		}
	}
	return stat{parent: n[0], cpu: time.Duration(n[1]+n[2]) * tick}, true
}

// descendants returns the processes that a process has started, directly or indirectly.
func descendants(pid int) []int {
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, path := range paths {
		child, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if s, ok := readStat(child); ok {
			children[s.parent] = append(children[s.parent], child)
		}
	}
	found := children[pid]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// cpuOf returns the CPU time that processes took so far.
func cpuOf(pids ...int) (total time.Duration, ok bool) {
	for _, pid := range pids {
		s, found := readStat(pid)
		if !found {
			return 0, false
		}
		total += s.cpu
	}
	return total, len(pids) > 0
}

// ownCPU returns the CPU time that this process took so far.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident returns the resident memory of a process, bytes.
func resident(pid int) (uint64, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// treeCPU returns the CPU time that this process and its children have taken so far. It does not
// include children that have ended.
func treeCPU() time.Duration {
	children, _ := cpuOf(descendants(os.Getpid())...) // none without /proc
	return ownCPU() + children
}

// memoryEvery is the interval at which memory is sampled to find a maximum.
const memoryEvery = 100 * time.Millisecond

// watchMemory polls a process's memory until stop is called, which returns the highest value.
func watchMemory(pid int, every time.Duration) (stop func() uint64) {
	var most uint64
	done := make(chan struct{})
	var watching sync.WaitGroup
	look := func() {
		if n, ok := resident(pid); ok {
			most = max(most, n)
		}
	}
	watching.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			look()
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	})
	return func() uint64 {
		close(done)
		watching.Wait()
		look()
		return most
	}
}
