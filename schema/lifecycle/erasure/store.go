package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/lifecycle/tombstone"
)

// AllTenants selects the erasures of every tenant.
const AllTenants = "*"

// Store reads and writes erasures.
type Store struct{ conn driver.Conn }

// NewStore returns a store on a connection, which the caller closes.
func NewStore(conn driver.Conn) *Store { return &Store{conn} }

// Put writes the next version of an erasure.
func (s *Store) Put(ctx context.Context, e *Erasure) error {
	e.Version++
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write erasure %s: %w", e.ID, err)
	}
	batch, err := s.conn.PrepareBatch(ctx, insertErasure)
	if err != nil {
		return fmt.Errorf("write erasure %s: %w", e.ID, err)
	}
	defer batch.Close()
	if err := batch.Append(e.Tenant, e.ID, e.Version, string(e.State), e.RequestedAt, string(text)); err != nil {
		return fmt.Errorf("write erasure %s: %w", e.ID, err)
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("write erasure %s: %w", e.ID, err)
	}
	return nil
}

// List returns the latest erasures of a tenant, or of AllTenants.
func (s *Store) List(ctx context.Context, tenant string, limit int) ([]Erasure, error) {
	return s.read(ctx, listShape{}, clickhouse.Named("tenant", tenant), clickhouse.Named("limit", limit))
}

// mostOpen bounds the erasures that one round carries out.
const mostOpen = 1000

// Open returns the unfinished erasures of all tenants, the oldest first.
func (s *Store) Open(ctx context.Context) ([]Erasure, error) {
	return s.read(ctx, listShape{Open: true}, clickhouse.Named("tenant", AllTenants),
		clickhouse.Named("limit", mostOpen))
}

// Find returns an erasure of a tenant, or of AllTenants; nil if there is none.
func (s *Store) Find(ctx context.Context, tenant, id string) (*Erasure, error) {
	list, err := s.read(ctx, listShape{One: true}, clickhouse.Named("tenant", tenant), clickhouse.Named("id", id),
		clickhouse.Named("limit", 1))
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

func (s *Store) read(ctx context.Context, shape listShape, args ...any) ([]Erasure, error) {
	rows, err := s.conn.Query(ctx, statements.Must("erasures", shape), args...)
	if err != nil {
		return nil, fmt.Errorf("read erasures: %w", err)
	}
	defer rows.Close()
	list := []Erasure{}
	for rows.Next() {
		var text string
		var e Erasure
		if err := rows.Scan(&text, &e.Version); err != nil {
			return nil, fmt.Errorf("read erasures: %w", err)
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return nil, fmt.Errorf("read an erasure: %w", err)
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

// Covered returns the stored sessions that an erasure covers. If it has Named sessions, only those
// are covered. whole is the tombstone of the tenant, nil before it is written: streams that were
// imported after it are left out.
func (s *Store) Covered(ctx context.Context, e *Erasure, whole *tombstone.Tombstone) ([]string, error) {
	switch e.Kind {
	case Sessions:
		return e.Named, nil
	case Tag:
		return s.ids(ctx, sessionsOfTag, clickhouse.Named("tenant", e.Tenant), clickhouse.Named("tag", e.TagKey),
			clickhouse.Named("salt", e.Salt), clickhouse.Named("hash", e.TagHash), clickhouse.Named("until", e.Until))
	}
	args := []any{clickhouse.Named("tenant", e.Tenant), clickhouse.Named("until", e.Until)}
	if whole != nil {
		args = append(args, clickhouse.DateNamed("at", whole.At, clickhouse.NanoSeconds))
	}
	return s.ids(ctx, statements.Must("sessions_of_tenant", whole != nil), args...)
}

func (s *Store) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := s.conn.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the sessions of an erasure: %w", err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read the sessions of an erasure: %w", err)
		}
		list = append(list, id)
	}
	return list, rows.Err()
}

// Unknown returns the sessions of a list for which a tenant has no stored rows, in their order.
func (s *Store) Unknown(ctx context.Context, tenant string, sessions []string) ([]string, error) {
	stored, err := s.ids(ctx, storedOf, clickhouse.Named("tenant", tenant), clickhouse.Named("sessions", sessions))
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(stored))
	for _, id := range stored {
		known[id] = true
	}
	var unknown []string
	for _, id := range sessions {
		if !known[id] {
			unknown = append(unknown, id)
		}
	}
	return unknown, nil
}

// Count returns the size of sessions of a tenant; nil means all sessions. Streams with an id above
// until do not count; "" means no bound.
func (s *Store) Count(ctx context.Context, tenant string, sessions []string, until string) (Counts, error) {
	var c Counts
	all := sessions == nil
	if all {
		sessions = []string{}
	}
	err := s.conn.QueryRow(ctx, countSessions, clickhouse.Named("tenant", tenant), clickhouse.Named("all", all),
		clickhouse.Named("sessions", sessions), clickhouse.Named("until", until)).Scan(&c.Sessions, &c.Streams, &c.Frames, &c.Bytes)
	if err != nil {
		return c, fmt.Errorf("count sessions: %w", err)
	}
	return c, nil
}

// Now returns the time of ClickHouse, rounded down to the second.
func (s *Store) Now(ctx context.Context) (at time.Time, err error) {
	err = s.conn.QueryRow(ctx, "SELECT now()").Scan(&at)
	return at.UTC(), err
}
