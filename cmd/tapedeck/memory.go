package main

import (
	"os"
	"runtime/debug"
)

// spareGC lets a recording command's heap, which is a few megabytes, grow to
// five times what is in use before it is collected: collecting it for every few
// megabytes of frames took a tenth of the command's time. GOGC stands where it is
// set.
func spareGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
