package tombstone

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/tables"
)

// Store reads and writes tombstones in ClickHouse. It is safe for use by many goroutines.
type Store struct {
	conn driver.Conn
	now  func() time.Time
	// announce announces that sessions were deleted, for the caches of all servers; nil for none.
	announce func(context.Context, ...Key) error
}

// NewStore returns a store on a connection, which the caller closes.
func NewStore(conn driver.Conn) *Store { return &Store{conn: conn, now: time.Now} }

// WithAnnouncements makes the store announce every deletion of a session by a function. It returns
// the store.
func (s *Store) WithAnnouncements(announce func(context.Context, ...Key) error) *Store {
	s.announce = announce
	return s
}

// Announce announces that sessions, or a whole tenant for a key without a session, were deleted.
func (s *Store) Announce(ctx context.Context, deleted ...Key) error {
	if s.announce == nil || len(deleted) == 0 {
		return nil
	}
	if err := s.announce(ctx, deleted...); err != nil {
		return fmt.Errorf("the sessions are deleted, but servers may show them until they learn of it; repeat the request: %w",
			err)
	}
	return nil
}

// recorded lists the tables with rows of a session. The table streams comes last, since its rows
// show that a deletion is unfinished.
var recorded = tables.Names(tables.Recording)

// Find returns the tombstone of a session, nil if it has none.
func (s *Store) Find(ctx context.Context, of Key) (*Tombstone, error) {
	rows, err := s.of(ctx, []Key{of})
	if err != nil {
		return nil, err
	}
	t := &Tombstone{Key: of}
	for _, row := range rows {
		if row.Key == of {
			t.merge(row)
		}
	}
	if t.Until == "" {
		return nil, nil // the session has only restores, or only its tenant has a tombstone
	}
	return t, nil
}

// of returns the tombstones and restores of sessions, and the tombstones of their tenants. A restore
// counts only with a tombstone, so without one the restores are not read.
func (s *Store) of(ctx context.Context, keys []Key) ([]*Tombstone, error) {
	var tenants, sessions []string
	whole := map[string]bool{}
	for _, k := range keys {
		tenants, sessions = append(tenants, k.Tenant), append(sessions, k.Session)
		if !whole[k.Tenant] && k.Session != "" {
			whole[k.Tenant] = true
			tenants, sessions = append(tenants, k.Tenant), append(sessions, "")
		}
	}
	args := []any{clickhouse.Named("tenants", tenants), clickhouse.Named("sessions", sessions)}
	stones, err := s.tombstones(ctx, rowsShape{}, args...)
	if err != nil || len(stones) == 0 {
		return nil, err
	}
	restored, err := s.restores(ctx, rowsShape{}, args...)
	return append(stones, restored...), err
}

// since returns the tombstones and restores written from a time on: at most the latest limit rows
// of each.
func (s *Store) since(ctx context.Context, at time.Time, limit int) ([]*Tombstone, error) {
	args := []any{clickhouse.DateNamed("since", at, clickhouse.NanoSeconds), clickhouse.Named("limit", limit)}
	stones, err := s.tombstones(ctx, rowsShape{Latest: true}, args...)
	if err != nil {
		return nil, err
	}
	restored, err := s.restores(ctx, rowsShape{Latest: true}, args...)
	return append(stones, restored...), err
}

// tombstones reads rows of tombstones.
func (s *Store) tombstones(ctx context.Context, which rowsShape, args ...any) ([]*Tombstone, error) {
	var list []*Tombstone
	rows, err := s.conn.Query(ctx, statements.Must("tombstones", which), args...)
	if err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		t := &Tombstone{}
		var finished uint8
		if err := rows.Scan(&t.Tenant, &t.Session, &t.Until, &t.Streams, &t.At, &finished, &t.Erasure); err != nil {
			return nil, fmt.Errorf("read tombstones: %w", err)
		}
		t.Finished = finished != 0
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	return list, nil
}

// restores reads rows of restored streams, each as a tombstone that has nothing else.
func (s *Store) restores(ctx context.Context, which rowsShape, args ...any) ([]*Tombstone, error) {
	var list []*Tombstone
	rows, err := s.conn.Query(ctx, statements.Must("restores", which), args...)
	if err != nil {
		return nil, fmt.Errorf("read restored streams: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		t := &Tombstone{}
		var stream string
		var at time.Time
		if err := rows.Scan(&t.Tenant, &t.Session, &stream, &at); err != nil {
			return nil, fmt.Errorf("read restored streams: %w", err)
		}
		t.Restored = map[string]time.Time{stream: at}
		list = append(list, t)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read restored streams: %w", err)
	}
	return list, nil
}

// Put writes a tombstone that covers all of a session's streams up to now. From then on the session
// is deleted; later steps only free space.
func (s *Store) Put(ctx context.Context, of Key) (*Tombstone, error) {
	before, err := s.Find(ctx, of)
	if err != nil {
		return nil, err
	}
	t := &Tombstone{Key: of, At: s.now().UTC()}
	if before != nil { // stay after the previous tombstone, even if clocks differ
		t.At = later(t.At, before.At)
		for _, at := range before.Restored {
			t.At = later(t.At, at)
		}
	}
	t.Until = Bound(t.At)
	t.Streams = []string{}
	err = s.conn.QueryRow(ctx, streamsBeyond,
		append(of.named(), clickhouse.Named("until", t.Until))...).Scan(&t.Streams)
	if err != nil {
		return nil, fmt.Errorf("delete session %s: read its streams: %w", of.Session, err)
	}
	if err := s.insert(ctx, t); err != nil {
		return nil, err
	}
	if err := s.Announce(ctx, of); err != nil {
		return nil, err
	}
	if before != nil {
		t.merge(before)
	}
	return t, nil
}

// later returns at if it is after than, otherwise a time just after than.
func later(at, than time.Time) time.Time {
	if at.After(than) {
		return at
	}
	return than.Add(time.Millisecond)
}

func (s *Store) insert(ctx context.Context, t *Tombstone) error {
	var finished uint8
	if t.Finished {
		finished = 1
	}
	err := s.write(ctx, insertTombstone, t.Tenant, t.Session, t.Until, t.Streams, t.At, finished, t.Erasure)
	if err != nil {
		return fmt.Errorf("write the tombstone of session %s: %w", t.Session, err)
	}
	return nil
}

// write inserts one row.
func (s *Store) write(ctx context.Context, insert string, row ...any) error {
	batch, err := s.conn.PrepareBatch(ctx, insert)
	if err != nil {
		return err
	}
	defer batch.Close()
	if err := batch.Append(row...); err != nil {
		return err
	}
	return batch.Send()
}

func (k Key) named() []any {
	return []any{clickhouse.Named("tenant", k.Tenant), clickhouse.Named("session", k.Session)}
}

// args returns the parameters of the statements on the rows that a tombstone covers.
func (t *Tombstone) args() []any {
	streams := t.Streams
	if streams == nil {
		streams = []string{}
	}
	return append(t.named(), clickhouse.Named("until", t.Until), clickhouse.Named("streams", streams),
		clickhouse.Named("restored", t.restored()))
}

// Remove deletes the rows of the streams that a tombstone covers, and records that the deletion is
// finished. It is idempotent.
func (s *Store) Remove(ctx context.Context, t *Tombstone) error {
	// With 2 the statement waits for the deletion on every replica.
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"lightweight_deletes_sync": 2}))
	for _, table := range recorded {
		err := s.conn.Exec(ctx, statements.Must("remove", table), t.args()...)
		if err != nil {
			return fmt.Errorf("delete session %s from %s: %w", t.Session, table, err)
		}
	}
	t.Finished = true
	return s.insert(ctx, t)
}

// Stored reports whether rows of streams that a tombstone covers are stored.
func (s *Store) Stored(ctx context.Context, t *Tombstone) (bool, error) {
	for _, table := range recorded {
		var n uint64
		err := s.conn.QueryRow(ctx, statements.Must("stored", table), t.args()...).Scan(&n)
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

// Restore lifts a tombstone for one stream, which is about to be imported.
func (s *Store) Restore(ctx context.Context, t *Tombstone, stream string) error {
	at := later(s.now().UTC(), t.At)
	err := s.write(ctx, insertRestore, t.Tenant, t.Session, stream, at)
	if err != nil {
		return fmt.Errorf("import into the deleted session %s: %w", t.Session, err)
	}
	t.merge(&Tombstone{Restored: map[string]time.Time{stream: at}})
	return nil
}
