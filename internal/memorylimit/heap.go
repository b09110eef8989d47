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
	// leastHeap is the minimum that Beside leaves, bytes.
	leastHeap = 256 << 20
)

// Bound bounds the heap of a server, once for each process. It sets the memory limit (GOMEMLIMIT)
// to four fifths of memory, the bytes that the process may take, unless that is 0: the limit is soft, and
// the kernel counts the memory of sockets too. It also sets the garbage collector's percentage (GOGC): a large heap grows
// by growth plus an eighth before it is collected, instead of doubling, since frames of megabytes
// leave garbage of their size. If the environment variable GOMEMLIMIT or GOGC is set, Bound does
// not change the corresponding setting.
func Bound(memory uint64) {
	LimitGarbage(memory)
	if os.Getenv("GOMEMLIMIT") == "" && memory > 0 {
		debug.SetMemoryLimit(int64(memory / 5 * 4))
	}
	if os.Getenv("GOGC") == "" {
		adjustAfterCollections()
	}
}

// Beside returns what is left of group, the limit of a control group, beside others, the bytes that
// other processes of the group may use: at least leastHeap if the limit allows it. It returns 0 if
// the group has no limit.
func Beside(group, others uint64) uint64 {
	return max(group-min(others, group), min(leastHeap, group))
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
