package live

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/schema"
)

// argumentsMost bounds how many calls have their arguments in memory. Beyond it they are read again. argumentsAtOnce
// bounds the calls of a statement: with 60,000 it took half a minute. storedWithin is how long the messages of a block may
// take to be stored after its spans, and streamedWithin how long before a call its arguments may begin to arrive.
const (
	argumentsMost   = 200_000
	argumentsAtOnce = 5_000
	storedWithin    = 30 * time.Second
	streamedWithin  = 10 * time.Minute
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
	missing := make([]*spanRow, 0, argumentsAtOnce)
	for i := range spans {
		s := &spans[i]
		key := spanKey{tenant, s.Session, s.ID}
		if _, known := r.arguments[key]; known || s.Kind != string(schema.SpanTool) || s.Ended == 0 {
			continue
		}
		if now-s.Ended > int64(storedWithin) {
			r.arguments[key] = ""
		}
		if missing = append(missing, s); len(missing) == argumentsAtOnce {
			if err := r.askArguments(ctx, a, tenant, missing); err != nil {
				return err
			}
			missing = missing[:0]
		}
	}
	return r.askArguments(ctx, a, tenant, missing)
}

// askArguments reads the arguments of some calls, which are ordered by session.
func (r *Reader) askArguments(ctx context.Context, a query.Args, tenant string, calls []*spanRow) error {
	if len(calls) == 0 {
		return nil
	}
	since := calls[0].SeenAt
	var ids, sessions []string
	for _, s := range calls {
		ids = append(ids, s.ID)
		since = min(since, s.SeenAt)
		if n := len(sessions); n == 0 || sessions[n-1] != s.Session {
			sessions = append(sessions, s.Session)
		}
	}
	rows, err := query.Ask[argumentsRow](ctx, r.reader, statements, "live_arguments", nil,
		a.With("sessions", sessions).With("spans", ids).With("since", since-int64(streamedWithin)))
	for _, row := range rows {
		r.arguments[spanKey{tenant, row.Session, row.Span}] = row.Arguments
	}
	return err
}
