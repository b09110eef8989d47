package rollup

import (
	"context"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/query"
)

// marking selects the records of spans that sql/mark_duplicates.sql examines.
type marking struct {
	All    bool // all, otherwise those that the sessions of the table changed_sessions have or share an id with
	Marked bool // also those that have a mark
}

// duplicatesOf marks the usage records of spans whose call a recorded stream states too, of all
// sessions, or of those that changed. The marks are inserts for the sessions of the spans, so the next
// settlement counts these anew.
func (w *work) duplicatesOf(ctx context.Context, changed []session, m marking) error {
	rows, err := query.Ask[struct {
		Tenant string `ch:"tenant"`
	}](ctx, w.reader, statements, "span_tenants", nil, nil)
	if err != nil {
		return err
	}
	for _, row := range rows {
		of, ids := m, []string(nil)
		for _, s := range changed {
			if s.Tenant == row.Tenant {
				of.All = of.All || s.isTenant()
				ids = append(ids, s.ID)
			}
		}
		if !of.All && len(ids) == 0 {
			continue
		}
		t, err := sessionTable("changed_sessions", ids)
		if err != nil {
			return err
		}
		if err := query.Exec(clickhouse.Context(ctx, clickhouse.WithExternalTable(t)), w.reader, statements, "mark_duplicates", of,
			query.Args{"tenant": row.Tenant, "version": uint64(w.now().UnixNano())}); err != nil {
			return err
		}
	}
	return nil
}

// uncounts reports whether a change in one of the tables can remove a record that a recorded stream
// states.
func uncounts(changed []string) bool {
	return slices.ContainsFunc(changed, func(table string) bool {
		return table == "expirations" || table == "redecodes" || table == "restores" || table == "tombstones"
	})
}
