package findings

import (
	"context"
	"slices"

	"tapedeck/query"
)

// sessionsAtOnce bounds how many sessions one statement names.
const sessionsAtOnce = 1000

type boundsRow struct {
	ID    string `ch:"session_id"`
	First int64  `ch:"first_ns"`
	Last  int64  `ch:"last_ns"`
}

// Each calls visit with the usage of the sessions with the given ids, in chunks. Sessions that are
// not stored are left out.
func Each(
	ctx context.Context, r *query.Reader, tenant string, ids []string, visit func(session string, u *Usage),
) error {
	all := make([]Session, 0, len(ids))
	for some := range slices.Chunk(ids, sessionsAtOnce) {
		rows, err := query.Ask[boundsRow](ctx, r, statements, "session_bounds", nil,
			query.Args{"tenant": tenant, "sessions": some})
		if err != nil {
			return err
		}
		for _, row := range rows {
			all = append(all, Session{row.ID, query.Instant(row.First), query.Instant(row.Last)})
		}
	}
	// Neighbours in time share days, so a statement for a chunk reads few days.
	slices.SortFunc(all, func(a, b Session) int { return a.First.Compare(b.First) })
	for some := range slices.Chunk(all, sessionsAtOnce) {
		used, err := OfSessions(ctx, r, tenant, some)
		if err != nil {
			return err
		}
		for i := range used {
			visit(some[i].ID, &used[i])
		}
	}
	return nil
}
