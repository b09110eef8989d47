package main

import (
	"os"
	"runtime/debug"
)

// spareGC allows a recording command's heap, which has a few megabytes, to grow to five times its
// live size before a collection: a collection for every few megabytes of frames took a tenth of the
// command's time. It does nothing if GOGC is set.
func spareGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// heapLimit is the size of the heap above which the garbage collector runs more often, bytes.
const heapLimit = 256 << 20

// boundHeap makes the garbage collector run more often once the heap is large, since lines of
// megabytes leave buffers of that size. It does nothing if GOMEMLIMIT is set.
func boundHeap() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
	}
}
