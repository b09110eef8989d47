package findings

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

var statements = query.Statements("facts/findings")

// mostTotals bounds the stated totals that are read per session.
const mostTotals = 1000

type usageRow struct {
	Session string `ch:"session_id"`
	cost.SumsRow
	RestTokens int64  `ch:"rest_tokens"`
	BeganAnew  uint64 `ch:"began_anew"`
}

type callsRow struct {
	Session string `ch:"session_id"`
	ModelCalls
}

type arrivalsRow struct {
	Session string `ch:"session_id"`
	Arrivals
}

type marksRow struct {
	Session     string `ch:"session_id"`
	TooDeep     uint64 `ch:"too_deep"`
	BadChecksum uint64 `ch:"bad_checksum"`
	UnreadUsage uint64 `ch:"unread_usage"`
}

type lossesRow struct {
	Session string `ch:"session_id"`
	Losses
}

// Session is a session with the times of its first and last frame.
type Session struct {
	ID          string
	First, Last time.Time
}

// OfSessions compares the usage of sessions with the values that their streams state. The results
// are in the order of sessions.
func OfSessions(ctx context.Context, r *query.Reader, tenant string, sessions []Session) ([]Usage, error) {
	if len(sessions) == 0 {
		return nil, nil
	}
	list := make([]Usage, len(sessions))
	at := make(map[string]*Usage, len(sessions))
	names := make([]string, len(sessions))
	first, last := sessions[0].First, sessions[0].Last
	for i := range sessions {
		s := &sessions[i]
		list[i] = Usage{Totals: []Total{}, StatedCosts: []StatedCost{}}
		names[i], at[s.ID] = s.ID, &list[i]
		if s.First.Before(first) {
			first = s.First
		}
		if s.Last.After(last) {
			last = s.Last
		}
	}
	a := query.Args{"tenant": tenant, "sessions": names, "most_totals": mostTotals}.Within(first.UnixNano(),
		last.UnixNano())
	usage, err := query.Ask[usageRow](ctx, r, statements, "session_usage", nil, a)
	if err != nil {
		return nil, err
	}
	calls, err := query.Ask[callsRow](ctx, r, statements, "session_calls", nil, a.With("start_output", schema.StartOutput))
	if err != nil {
		return nil, err
	}
	arrivals, err := query.Ask[arrivalsRow](ctx, r, statements, "session_arrivals", nil, a)
	if err != nil {
		return nil, err
	}
	losses, err := query.Ask[lossesRow](ctx, r, statements, "session_losses", nil, a)
	if err != nil {
		return nil, err
	}
	marks, err := query.Ask[marksRow](ctx, r, statements, "session_marks", nil,
		a.With("too_deep", uint32(schema.FlagTooDeep)).With("bad_checksum", uint32(schema.FlagBadChecksum)).
			With("unread_usage", uint32(schema.FlagUnreadUsage)))
	if err != nil {
		return nil, err
	}
	for _, row := range calls {
		at[row.Session].ModelCalls = row.ModelCalls
	}
	for _, row := range arrivals {
		at[row.Session].Arrivals = row.Arrivals
	}
	for _, row := range losses {
		at[row.Session].Losses = row.Losses
	}
	for _, row := range marks {
		l := &at[row.Session].Losses
		l.TooDeep, l.BadChecksum, l.UnreadUsage = row.TooDeep, row.BadChecksum, row.UnreadUsage
	}
	if err := addTotals(ctx, r, at, a); err != nil {
		return nil, err
	}
	if err := addStatedCosts(ctx, r, tenant, at, a); err != nil {
		return nil, err
	}
	anew, mismatches := map[string]uint64{}, map[string]uint64{}
	for _, row := range usage {
		s := at[row.Session]
		s.Calls, s.TokensInTotalsOnly = row.Calls, row.RestTokens
		s.Tokens = cost.TokensOf(row.Input, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h, row.Output,
			row.Reasoning)
		anew[row.Session], mismatches[row.Session] = row.BeganAnew, row.Mismatches
	}
	for i, id := range names {
		list[i].Findings = list[i].find(anew[id], mismatches[id])
	}
	return list, nil
}

// addTotals adds the totals that streams state to their sessions.
func addTotals(ctx context.Context, r *query.Reader, at map[string]*Usage, a query.Args) error {
	rows, err := query.Ask[totalRow](ctx, r, statements, "stated_totals", nil, a)
	if err != nil {
		return err
	}
	for i := range rows {
		s := at[rows[i].Session]
		s.StatedTotals++
		if t := rows[i].total(); t.Difference == nil || *t.Difference != 0 {
			s.Totals = append(s.Totals, t)
		}
	}
	return nil
}
