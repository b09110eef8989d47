package sessionhead

import (
	"time"

	"tapedeck/schema"
)

// Status is the status of a session.
type Status string

const (
	// Running: one of its streams has not ended, and a frame arrived within the quiet time (see
	// WithQuietAfter).
	Running Status = "running"
	// Quiet: one of its streams has not ended, no frame arrived within the quiet time, and a run is
	// open or the session has no runs.
	Quiet Status = "quiet"
	// Lost: as Quiet, but the recorders of its open streams are gone (see Recorders).
	Lost Status = "lost"
	// Failed: its last run failed, or one run failed and another was cancelled.
	Failed Status = "error"
	// Cancelled: a run was cancelled, and none failed.
	Cancelled Status = "cancelled"
	// Incomplete: a run never ended, or the stream with the last frame was cut off.
	Incomplete Status = "incomplete"
	// Fine: any other session.
	Fine Status = "ok"
)

// Statuses lists all statuses.
var Statuses = []Status{Running, Quiet, Lost, Fine, Failed, Cancelled, Incomplete}

// Open reports whether more frames may arrive: the session is running or quiet.
func (s Status) Open() bool { return s == Running || s == Quiet }

// sessionState holds the values on which the status of a session depends.
type sessionState struct {
	live, lost    bool          // a stream has not ended, and its recorder is alive or gone
	silent        time.Duration // since the last frame
	cut           bool          // the last stream ended in an error
	runs          uint64
	openRuns      uint64        // runs that are open or waiting
	unclosedRuns  uint64        // runs that were closed by the end of their stream
	failedRuns    uint64        // runs that ended in an error
	cancelledRuns uint64        // runs that were cancelled
	lastRun       schema.Status // status of the run that began last; "" without runs
}

// status returns the status. If all runs of a session have ended, they determine the status as soon
// as the session is silent, even if its stream may continue.
func (s *sessionState) status(quietAfter time.Duration) Status {
	pending := s.runs == 0 || s.openRuns > 0
	switch {
	case s.live && s.silent <= quietAfter:
		return Running
	case s.live && pending:
		return Quiet
	case s.lost && pending:
		return Lost
	case s.lastRun == schema.StatusError, s.failedRuns > 0 && s.cancelledRuns > 0:
		return Failed
	case s.openRuns > 0 || s.unclosedRuns > 0:
		return Incomplete
	case s.cancelledRuns > 0:
		return Cancelled
	case s.cut:
		return Incomplete
	}
	return Fine
}
