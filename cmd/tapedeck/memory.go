package main

import (
	"os"
	"runtime/debug"
)

// spareGC allows a recording command's heap, which is a few megabytes, to grow to
// five times its live size before a collection: collecting it for every few
// megabytes of frames took a tenth of the command's time. It does nothing if GOGC is
// set.
func spareGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// heapLimit is the size of the heap from which on memory is collected more often.
const heapLimit = 256 << 20

// boundHeap makes the garbage collector run more often once the heap is large, since lines of
// megabytes leave buffers of their size. It does nothing if GOMEMLIMIT is set.
func boundHeap() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(heapLimit)
	}
}
