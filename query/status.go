package query

import (
	"time"

	"tapedeck/schema"
)

// SessionStatus is how a session stands.
type SessionStatus string

const (
	// Running: one of its streams has not ended, and a frame came within
	// the quiet time (see WithQuietAfter).
	Running SessionStatus = "running"
	// Quiet: one of its streams has not ended, no frame came for longer than the
	// quiet time, and a run is open or there is none at all.
	Quiet SessionStatus = "quiet"
	// Lost: as Quiet, but the processes that record its open streams are gone (see
	// Recorders).
	Lost SessionStatus = "lost"
	// Failed: its last run ended in an error, or one did and another was cancelled.
	Failed SessionStatus = "error"
	// Cancelled: a run was cancelled, and none failed.
	Cancelled SessionStatus = "cancelled"
	// Incomplete: a run never ended, or the stream that came last was cut off.
	Incomplete SessionStatus = "incomplete"
	// Fine: anything else.
	Fine SessionStatus = "ok"
)

// SessionStatuses are all there are.
var SessionStatuses = []SessionStatus{Running, Quiet, Lost, Fine, Failed, Cancelled, Incomplete}

// Open reports whether frames may still come: the session runs or is quiet.
func (s SessionStatus) Open() bool { return s == Running || s == Quiet }

const (
	// QuietAfter is the default of WithQuietAfter.
	QuietAfter = 30 * time.Second
	// RecorderTimeout is how long a stream may be silent before its recorder counts as gone,
	// if the recorder sends no heartbeats.
	RecorderTimeout = time.Hour
)

// Recorders reports which recording processes are alive.
type Recorders interface {
	// Alive returns their ids. A recorder that is not among them is gone if the last
	// frame of its streams is older than within; 0 means that the list may be
	// incomplete, so that nothing follows from absence.
	Alive() (ids []string, within time.Duration)
}

// liveness returns the parameters of sql/alive.sql.
func (r *Reader) liveness(now int64) args {
	a := args{"recorders": []string{}, "silent_since": now - int64(RecorderTimeout), "unheard_since": now - int64(RecorderTimeout)}
	if r.recorders == nil {
		return a
	}
	ids, within := r.recorders.Alive()
	if within > 0 {
		a["unheard_since"] = now - int64(within)
	}
	if len(ids) > 0 {
		a["recorders"] = ids
	}
	return a
}

// sessionState is what a session's status depends on.
type sessionState struct {
	live, lost    bool          // a stream has not ended, and its recorder is alive or gone
	silent        time.Duration // since the last frame
	cut           bool          // the stream that came last ended in an error
	runs          uint64
	openRuns      uint64        // runs that are open or wait
	unclosedRuns  uint64        // runs that their stream's end cut short
	failedRuns    uint64        // runs that ended in an error
	cancelledRuns uint64        // runs that were cancelled
	lastRun       schema.Status // of the run that began last; "" without runs
}

// status returns the status. If all runs of a session have ended, they decide once it is
// silent, although its stream may continue.
func (s *sessionState) status(quietAfter time.Duration) SessionStatus {
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
