package ingest

import "time"

// The process's clock: wall-clock time at start, carried on by the monotonic
// clock, so that a wall clock that is set back or forward meanwhile does not
// distort a recording.
var clockBase = time.Now()

// Now is the time to stamp a frame with, ns since the Unix epoch.
func Now() int64 { return clockBase.UnixNano() + int64(time.Since(clockBase)) }
