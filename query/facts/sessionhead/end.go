package sessionhead

import (
	"regexp"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// End describes how and why a session ended.
type End struct {
	At       time.Time `json:"at"`
	OffsetMS float64   `json:"offset_ms"` // since the session's start
	Reason   EndReason `json:"reason"`
	Detail   string    `json:"detail"` // a clause, such as "the recorded command exited with 137"
	// Span is the span that was open or failed at the end; null if there is none.
	Span *SpanRef `json:"span"`
}

// EndReason is the kind of a session's end.
type EndReason string

// The kinds of ends.
const (
	EndEOF       EndReason = "eof"       // the source ended
	EndClosed    EndReason = "closed"    // the connection or the recording was closed in good order
	EndDone      EndReason = "done"      // its runs ended; its stream did not end, or went on in other sessions
	EndError     EndReason = "error"     // its last run, or the source, failed
	EndCancelled EndReason = "cancelled" // a run was cancelled
	EndExit      EndReason = "exit"      // the recorded command exited with a code other than 0
	EndSignal    EndReason = "signal"    // a signal ended the recorded command
	EndCut       EndReason = "cut"       // the connection or the file broke off
	EndShutdown  EndReason = "shutdown"  // the recorder was shut down
	EndLost      EndReason = "lost"      // the recorder is gone
)

// SpanRef names a span.
type SpanRef struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// NewEnd returns the end of a session with the given number of runs, nil while it is open. spans
// are all spans of the session, or those that sql/session_ends.sql selects.
func NewEnd(head *Head, streams *sessionstreams.Row, runs uint64, spans []spanmerge.Span) *End {
	if head.Status.Open() {
		return nil
	}
	end := &End{At: query.Instant(streams.End)}
	switch {
	case head.Status == Lost:
		end.Reason, end.Detail = EndLost, "its recorder is gone"
	case head.Status == Failed:
		end.runFailed(spans)
	case head.Status == Cancelled:
		end.Reason, end.Detail = EndCancelled, "the run was cancelled"
		end.at(lastRun(spans, schema.StatusCancelled))
	case streams.LastEnded == 0 || streams.LastReason == leftReason:
		end.Reason, end.Detail = EndDone, "its last run ended"
		if runs == 0 {
			end.Detail = "its stream went on in other sessions"
		}
	default:
		end.Reason, end.Detail = explainEnd(streams.LastReason)
	}
	end.OffsetMS = query.Millis(end.At.Sub(head.Started).Nanoseconds())
	if end.Span == nil {
		end.Span = openAtEnd(head, spans)
	}
	return end
}

// leftReason is the end reason of a session's share of a stream that continued in other sessions.
const leftReason = "left"

// runFailed sets the end from the last run that failed.
func (e *End) runFailed(spans []spanmerge.Span) {
	e.Reason, e.Detail = EndError, "the run failed"
	run := lastRun(spans, schema.StatusError)
	if run == nil {
		return
	}
	if run.Error != "" {
		e.Detail = "the run failed: " + *Excerpt(run.Error)
	}
	e.at(run)
	if failed := lastEnded(spans, run); failed != nil && failed.Status == string(schema.StatusError) {
		e.Span = &SpanRef{ID: failed.ID, Kind: failed.Kind, Name: failed.Name}
		if run.Error == "" && failed.Error != "" {
			e.Detail = "the run failed: " + *Excerpt(failed.Error)
		}
	}
}

// at sets the time of the end and the span from a run.
func (e *End) at(run *spanmerge.Span) {
	if run == nil {
		return
	}
	if run.Ended != 0 {
		e.At = query.Instant(run.Ended)
	}
	e.Span = &SpanRef{ID: run.ID, Kind: run.Kind, Name: run.Name}
}

// lastRun returns the last run with a status, by the time of its first frame; nil if there is none.
func lastRun(spans []spanmerge.Span, status schema.Status) (last *spanmerge.Span) {
	for i := range spans {
		s := &spans[i]
		if s.Kind == string(schema.SpanRun) && s.Status == string(status) &&
			(last == nil || last.Seen().Compare(s.Seen()) < 0) {
			last = s
		}
	}
	return last
}

// lastEnded returns the model or tool call that ended last within a run's time.
func lastEnded(spans []spanmerge.Span, run *spanmerge.Span) (last *spanmerge.Span) {
	for i := range spans {
		s := &spans[i]
		if !isCall(s) || s.Begin() < run.Begin() || s.Ended == 0 || run.Ended != 0 && s.Ended > run.Ended {
			continue
		}
		if last == nil || s.Ended >= last.Ended {
			last = s
		}
	}
	return last
}

func isCall(s *spanmerge.Span) bool {
	return s.Kind == string(schema.SpanTool) || s.Kind == string(schema.SpanLLM)
}

// OpenSpan returns the span that is in progress in an open session; nil if there is none, or the
// session is not open. spans are those of NewEnd.
func OpenSpan(head *Head, spans []spanmerge.Span) *SpanRef {
	if !head.Status.Open() {
		return nil
	}
	return openAtEnd(head, spans)
}

// openAtEnd returns the span that was open when the session was cut: the call that began last,
// preferring tool calls to model calls, otherwise the innermost span.
func openAtEnd(head *Head, spans []spanmerge.Span) *SpanRef {
	var found *spanmerge.Span
	for i := range spans {
		s := &spans[i]
		if !s.Open() || s.Ended != 0 && query.Instant(s.Ended).Before(head.LastAt) {
			continue // the span ended, or was closed before the end
		}
		if found == nil || openRank(s) >= openRank(found) {
			found = s
		}
	}
	if found == nil {
		return nil
	}
	return &SpanRef{ID: found.ID, Kind: found.Kind, Name: found.Name}
}

// openRank orders spans by how precisely they name the work in progress.
func openRank(s *spanmerge.Span) int {
	switch schema.SpanKind(s.Kind) {
	case schema.SpanTool:
		return 3
	case schema.SpanLLM:
		return 2
	case schema.SpanNode:
		return 1
	}
	return 0
}

var (
	exitText   = regexp.MustCompile(`^exit status (\d+)$`)
	signalText = regexp.MustCompile(`^signal: ([^(]+?)( \(core dumped\))?$`)
)

// explainEnd translates a stream's recorded end reason.
func explainEnd(noted string) (EndReason, string) {
	text, failed := strings.CutPrefix(noted, "error: ")
	if !failed {
		switch noted {
		case "closed":
			return EndClosed, "the recording was closed"
		case "", "eof":
			return EndEOF, "the source came to its end"
		}
		return EndEOF, noted
	}
	if m := exitText.FindStringSubmatch(text); m != nil {
		return EndExit, "the recorded command exited with " + m[1]
	}
	if m := signalText.FindStringSubmatch(text); m != nil {
		return EndSignal, "the recorded command was ended by a signal: " + m[1]
	}
	for _, known := range []struct {
		prefix string
		reason EndReason
		detail string // before the text
	}{
		{"the connection was cut", EndCut, ""},
		{"the tape file ended early", EndCut, ""},
		{"the client went away", EndCut, ""},
		{"closed with ", EndClosed, "the connection was "},
		{"the server was shut down", EndShutdown, ""},
	} {
		if strings.HasPrefix(text, known.prefix) {
			return known.reason, known.detail + text
		}
	}
	return EndError, text
}
