package query

import (
	"time"

	"tapedeck/schema"
)

// SessionStatus is how a session stands.
type SessionStatus string

const (
	// Running: one of its streams has not ended and something arrived lately,
	// within Lately, or within Patience while a run waits for its end.
	Running SessionStatus = "running"
	// Failed: its last run ended in an error.
	Failed SessionStatus = "error"
	// Incomplete: a run never ended, or the stream that came last was cut off.
	Incomplete SessionStatus = "incomplete"
	// Fine: anything else.
	Fine SessionStatus = "ok"
)

// SessionStatuses are all there are.
var SessionStatuses = []SessionStatus{Running, Fine, Failed, Incomplete}

const (
	// Lately is how recent the last frame of a live stream must be for its
	// session to count as running.
	Lately = time.Minute
	// Patience stands in for Lately while a run is open: a slow tool, an
	// approval that nobody gives. After that the tap is taken for dead.
	Patience = time.Hour
)

// sessionState is what a session's status depends on.
type sessionState struct {
	liveLast     int64         // the last frame of the streams that have not ended, ns; 0 if all have
	cut          bool          // the stream that came last ended in an error
	openRuns     uint64        // runs that are open or wait
	unclosedRuns uint64        // runs that their stream's end cut short
	lastRun      schema.Status // of the run that began last; "" without runs
}

func (s *sessionState) status(now int64) SessionStatus {
	silent := time.Duration(now - s.liveLast)
	switch {
	case s.liveLast != 0 && (silent <= Lately || s.openRuns > 0 && silent <= Patience):
		return Running
	case s.lastRun == schema.StatusError:
		return Failed
	case s.openRuns > 0 || s.unclosedRuns > 0 || s.cut:
		return Incomplete
	}
	return Fine
}
