package memorylimit

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// growth is how far the heap may grow beyond the bytes in use before the garbage collector
	// runs, bytes. An eighth of the bytes in use is added, so that large heaps are not collected
	// too often.
	growth = 96 << 20
	// leastHeap is the minimum limit that Bound sets, bytes.
	leastHeap = 256 << 20
)

// Bound bounds the heap of a server, once for each process. It sets the memory limit (GOMEMLIMIT)
// from the limit of the control group, if there is one, less others, the bytes that other processes
// of the group may use. It also sets the garbage collector's percentage (GOGC): a large heap grows
// by growth plus an eighth before it is collected, instead of doubling, since frames of megabytes
// leave garbage of their size. If the environment variable GOMEMLIMIT or GOGC is set, Bound does
// not change the corresponding setting.
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

// heapLimit returns nine tenths of a control group's limit, less the bytes that other processes may
// use, at least leastHeap if the limit allows it. It returns 0 if the group has no limit.
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

// collection is an unreferenced object, whose finalizer runs at each collection.
type collection struct{ _ *byte }

// percentFor returns the percentage by which a heap with live bytes in use may grow.
func percentFor(live uint64) int {
	if live <= growth {
		return 100
	}
	return int((growth + live/8) * 100 / live)
}

// liveBytes returns the bytes that were in use at the latest collection.
func liveBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
