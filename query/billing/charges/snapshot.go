package charges

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
)

// Each calls visit with each charge of a query in order of time, until visit returns an error.
// Unpriced of the query is not for Each. It reads all charges with one statement, so that they are
// of one snapshot, and holds a bounded number of them in memory. visit may keep the charge.
//
// Each reads every charge that was stored before it was called, and none of a session whose
// deletion had begun by then. A session that changes afterwards is read before or after the change.
func Each(ctx context.Context, r *query.Reader, q Query, visit func(*Charge) error) error {
	p, err := q.Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return err
	}
	l := lister{reader: r, query: &q, pricers: p, until: q.To}
	var tags tagMaps
	return l.readAll(ctx, func(row *row) error { return visit(row.charge(q.Tenant, p, &tags)) })
}

// snapshotTries bounds how often Each looks at the settlement. After that it reads the tables that
// the sink writes.
const snapshotTries = 3

// snapshotFor bounds the time from a look at the settlement to the begin of the statement. It is
// shorter than the ten minutes for which replaced batches are kept.
var snapshotFor = 5 * time.Minute

// errRemoved is the error of a statement that may lack settled rows, since they may have been
// removed after the look at the settlement.
var errRemoved = errors.New("settled rows may have been removed")

// readAll is read for all records. Before the first of them is visited, when the statement has its
// snapshot, it checks that no settled rows were removed since, and otherwise begins anew.
func (l *lister) readAll(ctx context.Context, visit func(*row) error) error {
	for range snapshotTries {
		looked := time.Now().Round(0) // the time of day goes on while a machine sleeps
		before, err := l.removals(ctx)
		if err != nil {
			return err
		}
		begun := false
		check := func() error {
			if begun || !l.settled {
				return nil
			}
			begun = true
			now, err := l.removals(ctx)
			if err == nil && (!slices.Equal(before, now) || time.Now().Round(0).Sub(looked) > snapshotFor) {
				err = errRemoved
			}
			return err
		}
		err = l.read(ctx, "", 0, func(row *row) error {
			if err := check(); err != nil {
				return err
			}
			return visit(row)
		})
		if err == nil {
			err = check() // of a statement without rows
		}
		if !errors.Is(err, errRemoved) {
			return err
		}
	}
	l.tables = true
	return l.read(ctx, "", 0, visit)
}

// removalTables are the tables with an insert before settled rows of a session are removed: when it
// expires, when a text of it is masked, and when it is deleted.
var removalTables = []string{"expirations", "redecodes", "tombstones"}

// removalShape selects the tables of sql/removals.sql.
type removalShape struct {
	Tables  []string
	Sharded bool // the tables are on the shards of a cluster
}

// removal is the number of the last insert in a table.
type removal struct {
	Name string `ch:"name"`
	Last uint64 `ch:"last"`
}

// removals returns the state of the removal tables in order of their names.
func (l *lister) removals(ctx context.Context) ([]removal, error) {
	list, err := query.Ask[removal](ctx, l.reader, statements, "removals", removalShape{removalTables, l.reader.Sharded()},
		query.Args{"tenant": l.query.Tenant})
	slices.SortFunc(list, func(a, b removal) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}
