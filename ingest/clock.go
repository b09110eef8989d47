package ingest

import "time"

// clockBase is the wall-clock time at the start of the process. Now adds the monotonic time to it,
// so that changes of the wall clock do not distort a recording.
var clockBase = time.Now()

// Now returns the time to stamp a frame with, ns since the Unix epoch.
func Now() int64 { return clockBase.UnixNano() + int64(time.Since(clockBase)) }
