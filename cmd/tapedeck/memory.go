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
