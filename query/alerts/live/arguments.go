package live

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/schema"
)

// argumentsMost bounds how many calls have their arguments in memory. Beyond it they are read again. storedWithin
// is how long the messages of a block may take to be stored after its spans.
const (
	argumentsMost = 200_000
	storedWithin  = 30 * time.Second
)

type argumentsRow struct {
	Session   string `ch:"session_id"`
	Span      string `ch:"of_span"`
	Arguments string `ch:"arguments"`
}

// readArguments reads the arguments of the calls that have ended and whose arguments are not known. A call may have
// none. That is kept when its end is a while ago, since spans are stored before messages.
func (r *Reader) readArguments(ctx context.Context, a query.Args, tenant string, spans []spanRow) error {
	if len(r.arguments) > argumentsMost {
		clear(r.arguments)
	}
	now := r.reader.Now()
	var missing, sessions []string
	for i := range spans {
		s := &spans[i]
		key := spanKey{tenant, s.Session, s.ID}
		if _, known := r.arguments[key]; known || s.Kind != string(schema.SpanTool) || s.Ended == 0 {
			continue
		}
		missing = append(missing, s.ID)
		if n := len(sessions); n == 0 || sessions[n-1] != s.Session { // the spans are ordered by session
			sessions = append(sessions, s.Session)
		}
		if now-s.Ended > int64(storedWithin) {
			r.arguments[key] = ""
		}
	}
	if len(missing) == 0 {
		return nil
	}
	rows, err := query.Ask[argumentsRow](ctx, r.reader, statements, "live_arguments", nil, a.With("sessions", sessions).With("spans", missing))
	for _, row := range rows {
		r.arguments[spanKey{tenant, row.Session, row.Span}] = row.Arguments
	}
	return err
}

// arrange orders the calls of a session by their begin, and keeps the latest.
func arrange(s *evaluate.Session) {
	slices.SortFunc(s.Calls, func(a, b evaluate.Span) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID))
	})
	s.Calls = s.Calls[max(0, len(s.Calls)-rule.MostCalls):]
}
