package memorylimit

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// growth bounds how far the heap may grow beyond what is in use before it is collected, bytes.
	// An eighth of what is in use is added, so that large heaps are not collected all the time.
	growth = 96 << 20
	// leastHeap is the least limit that Bound sets, bytes.
	leastHeap = 256 << 20
)

// Bound bounds the heap of a server, once for the process. The limit of the control group, if there
// is one, less what other processes of the group may take, bounds it like GOMEMLIMIT. Large heaps
// grow by growth and an eighth before they are collected, instead of doubling: frames of megabytes
// leave garbage of their size. An environment variable GOMEMLIMIT or GOGC rules in place of
// the one or the other.
func Bound(others uint64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		if limit := heapLimit(Group(), others); limit > 0 {
			debug.SetMemoryLimit(limit)
		}
	}
	if os.Getenv("GOGC") == "" {
		adjustAfterCollections()
	}
}

// heapLimit returns nine tenths of a control group's limit, less what other processes may take, and
// leastHeap at least; 0 if the group has no limit.
func heapLimit(group, others uint64) int64 {
	if group == 0 {
		return 0
	}
	whole := group / 10 * 9
	return int64(max(whole-min(others, whole), min(leastHeap, whole)))
}

// adjustAfterCollections sets the garbage collector's percentage after each collection.
var adjustAfterCollections = sync.OnceFunc(func() {
	current := 100
	var adjust func(*collection)
	adjust = func(c *collection) {
		if percent := percentFor(liveBytes()); percent < current*9/10 || percent > current*11/10 {
			current = percent
			debug.SetGCPercent(percent)
		}
		runtime.SetFinalizer(c, adjust)
	}
	runtime.SetFinalizer(&collection{new(byte)}, adjust)
})

// collection is an object that nothing refers to: each collection runs its finalizer.
type collection struct{ _ *byte }

// percentFor returns the percentage by which a heap of so many bytes in use may grow.
func percentFor(live uint64) int {
	if live <= growth {
		return 100
	}
	return int((growth + live/8) * 100 / live)
}

// liveBytes returns the bytes that the latest collection found in use.
func liveBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
