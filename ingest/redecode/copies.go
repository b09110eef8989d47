package redecode

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/tables"
)

// removeCopies removes copies of the session outside of its own rows: in JetStream, and in the
// settled rows that reports read.
func (r *run) removeCopies(ctx context.Context, streams []stream) error {
	if r.Copies != nil {
		ids := make([]string, len(streams))
		for i := range streams {
			ids[i] = streams[i].id
		}
		until, remarks, err := r.Copies.Remove(ctx, r.tenant, r.session, ids)
		if err != nil {
			return err
		}
		r.masks.until, r.masks.result.Remarks = until, append(r.masks.result.Remarks, remarks...)
	}
	return r.removeSettled(ctx, streams)
}

// settledTables contain texts of sessions: titles, tags, errors and names of tools.
var settledTables = tables.Settled(tables.OfRecords, tables.OfCosts)

// removeSettled deletes the settled rows of the session. They are deleted between two commits: a
// session with a later commit counts as not settled, so that reports read it from the other tables.
func (r *run) removeSettled(ctx context.Context, streams []stream) error {
	again := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"insert_deduplicate": 0}))
	if err := r.commit(again, streams); err != nil {
		return err
	}
	if err := r.deleteSettled(ctx, r.tenant, r.session, r.now()); err != nil {
		return err
	}
	r.masks.settled = r.now()
	return r.commit(again, streams)
}

// deleteSettled deletes the rows of a session from the batches that were begun before a time.
func (r *Redecoder) deleteSettled(ctx context.Context, tenant, session string, before time.Time) error {
	erase, cancel := context.WithTimeout(ctx, eraseLimit)
	defer cancel()
	erase = clickhouse.Context(erase, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	for _, table := range settledTables {
		if err := r.db.Exec(erase, statements.Must("clean_settled", table), settledBefore(tenant, session, before)...); err != nil {
			return fmt.Errorf("delete from %s: %w", table, err)
		}
	}
	return nil
}

// settledBefore returns the parameters of statements on the settled rows of a session, in batches that
// were begun before a time.
func settledBefore(tenant, session string, before time.Time) []any {
	return []any{
		clickhouse.Named("tenant", tenant), clickhouse.Named("session", session),
		clickhouse.Named("before", before.UnixNano()),
	}
}

// filesEvery is the interval at which remaining files are listed.
const filesEvery = 500 * time.Millisecond

// awaitFiles waits until no file contains what was masked: the files that ClickHouse and JetStream
// have replaced, and batches of settled usage that were begun before.
func (r *Redecoder) awaitFiles(ctx context.Context, tenant, session string, m *masks) error {
	if r.Copies == nil {
		return nil
	}
	at, err := r.Copies.Now(ctx)
	if err != nil {
		return err
	}
	if m.until.After(r.now().Add(time.Hour)) {
		m.result.Remarks = append(m.result.Remarks,
			"logs of idempotency keys are in files of JetStream until "+m.until.UTC().Format(time.RFC3339))
		m.until = time.Time{}
	}
	for {
		var settled uint64
		err := r.db.QueryRow(ctx, statements.Must("settled_before", settledTables), settledBefore(tenant, session, m.settled)...).Scan(&settled)
		if err != nil {
			return fmt.Errorf("look for settled usage: %w", err)
		}
		if settled > 0 { // a settlement that began before was written meanwhile; the session counts as changed since
			if err := r.deleteSettled(ctx, tenant, session, m.settled); err != nil {
				return err
			}
			if at, err = r.Copies.Now(ctx); err != nil {
				return err
			}
		}
		waits, err := r.Copies.Replaced(ctx, at)
		if err != nil {
			return err
		}
		if settled == 0 && waits == "" && !r.now().Before(m.until) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(filesEvery):
		}
	}
}
