package erasure

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// Rows selects the rows that tombstones of one erasure cover, in every table of recordings.
type Rows struct {
	store *Store
	args  []any
	whole bool
}

// sessionsAtOnce bounds the sessions in one statement.
const sessionsAtOnce = 1000

// Rows returns the rows that the tombstones of an erasure cover. Streams that were imported after
// the erasure are left out.
func (s *Store) Rows(ctx context.Context, list []*tombstone.Tombstone) ([]Rows, error) {
	var all []Rows
	for len(list) > 0 {
		n, whole, until := 0, list[0].Session == "", list[0].Until
		for n < len(list) && n < sessionsAtOnce && (list[n].Session == "") == whole && list[n].Until == until {
			n++
		}
		r, err := s.rows(ctx, list[:n], whole)
		if err != nil {
			return nil, err
		}
		all, list = append(all, r), list[n:]
	}
	return all, nil
}

func (s *Store) rows(ctx context.Context, list []*tombstone.Tombstone, whole bool) (Rows, error) {
	first := list[0]
	at, sessions, streams := first.At, []string{}, []string{}
	for _, t := range list {
		sessions, streams = append(sessions, t.Session), append(streams, t.Streams...)
	}
	restored, err := s.ids(ctx, restoredSince, clickhouse.Named("tenant", first.Tenant),
		clickhouse.DateNamed("at", at, clickhouse.NanoSeconds))
	if err != nil {
		return Rows{}, err
	}
	if restored == nil {
		restored = []string{}
	}
	return Rows{s, []any{
		clickhouse.Named("tenant", first.Tenant), clickhouse.Named("sessions", sessions),
		clickhouse.Named("until", first.Until),
		clickhouse.Named("streams", streams), clickhouse.Named("restored", restored),
	}, whole}, nil
}

// Remove rewrites the parts of a table without the rows, on every replica. The old parts remain on
// the disk until ClickHouse removes them (old_parts_lifetime).
func (r Rows) Remove(ctx context.Context, table string) error {
	n, err := r.Count(ctx, table)
	if err != nil || n == 0 {
		return err
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	if err := r.store.conn.Exec(ctx, statements.Must("remove_rows", rowsShape{table, r.whole}), r.args...); err != nil {
		return fmt.Errorf("delete from %s: %w", table, err)
	}
	// The statement does not find rows that were already marked as deleted.
	if n, err = r.Count(ctx, table); err != nil || n == 0 {
		return err
	}
	if err := r.store.conn.Exec(ctx, statements.Must("apply_deleted_mask", table)); err != nil {
		return fmt.Errorf("delete marked rows from %s: %w", table, err)
	}
	return nil
}

// Streams returns the ids of the streams of the rows.
func (r Rows) Streams(ctx context.Context) ([]string, error) {
	return r.store.ids(ctx, statements.Must("covered_streams", rowsShape{"streams", r.whole}), r.args...)
}

// Count returns the number of the rows in a table. If the table is replicated, the replica that it asks
// has all rows before.
func (r Rows) Count(ctx context.Context, table string) (n uint64, err error) {
	if err := cluster.SyncReplicas(ctx, r.store.conn, table); err != nil {
		return 0, err
	}
	err = r.store.conn.QueryRow(ctx, statements.Must("covered_rows", rowsShape{table, r.whole}), r.args...).Scan(&n)
	if err != nil {
		err = fmt.Errorf("count rows of %s: %w", table, err)
	}
	return n, err
}

// OldParts returns the number of parts of tables of recordings that were replaced before a time of
// ClickHouse and are still on the disk of a server.
func (s *Store) OldParts(ctx context.Context, at time.Time) (n uint64, err error) {
	err = s.conn.QueryRow(cluster.WithAllReplicas(ctx), oldParts, clickhouse.Named("tables", tables.Names(tables.Recording)),
		clickhouse.DateNamed("at", at, clickhouse.Seconds)).Scan(&n)
	if err != nil {
		err = fmt.Errorf("count replaced parts: %w", err)
	}
	return n, err
}
