package reconcile

import (
	"context"
	"slices"

	"tapedeck/query"
	"tapedeck/query/sessionhead"
	"tapedeck/query/sessionlist"
	"tapedeck/schema"
)

// Query asks for a page of sessions.
type Query struct {
	Tenant   string
	Filter   sessionlist.Filter
	Findings []string // only sessions with any of these, unless it is empty
	Limit    int      // at least 1
	Cursor   string
}

// mostTotals bounds the stated totals of a session that are read.
const mostTotals = 1000

// mostPages bounds how many pages of the session list are looked at for one page: with
// few findings a page may be short, or empty, and Next leads on.
const mostPages = 8

// Read returns a page of sessions, newest first. A page may hold fewer sessions than Limit
// before the last.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[Session], error) {
	page := &query.Page[Session]{Items: []Session{}}
	list := sessionlist.Query{Tenant: q.Tenant, Filter: q.Filter, Limit: q.Limit, Cursor: q.Cursor}
	for range mostPages {
		list.Limit = max(q.Limit-len(page.Items), 1)
		heads, err := sessionlist.Read(ctx, r, list)
		if err != nil {
			return nil, err
		}
		sessions, err := OfSessions(ctx, r, q.Tenant, heads.Items)
		if err != nil {
			return nil, err
		}
		for i := range sessions {
			if sessions[i].has(q.Findings) {
				page.Items = append(page.Items, sessions[i])
			}
		}
		page.Next = heads.Next
		if heads.Next == nil || len(q.Findings) == 0 || 2*len(page.Items) >= q.Limit {
			break
		}
		list.Cursor = *heads.Next
	}
	return page, nil
}

func (s *Session) has(findings []string) bool {
	return len(findings) == 0 || slices.ContainsFunc(s.Findings, func(f Finding) bool { return slices.Contains(findings, f.Code) })
}

type usageRow struct {
	Session string `ch:"session_id"`
	query.SumsRow
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
}

type lossesRow struct {
	Session string `ch:"session_id"`
	Losses
}

// OfSessions reconciles sessions, which are returned in their order.
func OfSessions(ctx context.Context, r *query.Reader, tenant string, heads []sessionhead.Summary) ([]Session, error) {
	if len(heads) == 0 {
		return nil, nil
	}
	sessions := make([]Session, len(heads))
	at := make(map[string]*Session, len(heads))
	names := make([]string, len(heads))
	first, last := heads[0].Started.UnixNano(), heads[0].LastAt.UnixNano()
	for i := range heads {
		h := &heads[i]
		sessions[i] = Session{ID: h.ID, Started: h.Started, Status: h.Status, Title: h.Title, Totals: []Total{}, StatedCosts: []StatedCost{}}
		names[i], at[h.ID] = h.ID, &sessions[i]
		first, last = min(first, h.Started.UnixNano()), max(last, h.LastAt.UnixNano())
	}
	a := query.Args{"tenant": tenant, "sessions": names, "most_totals": mostTotals}.Within(first, last)
	usage, err := query.Ask[usageRow](ctx, r, statements, "session_usage", nil, a)
	if err != nil {
		return nil, err
	}
	calls, err := query.Ask[callsRow](ctx, r, statements, "session_calls", nil, a)
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
		a.With("too_deep", uint32(schema.FlagTooDeep)).With("bad_checksum", uint32(schema.FlagBadChecksum)))
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
		l.TooDeep, l.BadChecksum = row.TooDeep, row.BadChecksum
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
		s.Tokens = query.TokensOf(row.Input, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h, row.Output, row.Reasoning)
		anew[row.Session], mismatches[row.Session] = row.BeganAnew, row.Mismatches
	}
	for i := range sessions {
		s := &sessions[i]
		s.Findings = s.find(anew[s.ID], mismatches[s.ID])
	}
	return sessions, nil
}

// addTotals adds the totals that streams state to their sessions.
func addTotals(ctx context.Context, r *query.Reader, at map[string]*Session, a query.Args) error {
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
