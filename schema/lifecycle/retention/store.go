package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/tables"
)

// AllTenants selects the policies of every tenant.
const AllTenants = "*"

// Store reads and writes policies, and deletes what has expired. It is safe for use by many
// goroutines.
type Store struct{ conn driver.Conn }

// NewStore returns a store on a connection, which the caller closes.
func NewStore(conn driver.Conn) *Store { return &Store{conn} }

// Policies returns the policies of a tenant, or of AllTenants, except those that limit nothing.
func (s *Store) Policies(ctx context.Context, tenant string) ([]Policy, error) {
	rows, err := s.conn.Query(ctx, statements.Must("policies", nil), clickhouse.Named("tenant", tenant))
	if err != nil {
		return nil, fmt.Errorf("read the policies of retention: %w", err)
	}
	defer rows.Close()
	list := []Policy{}
	for rows.Next() {
		var p Policy
		var seconds uint64
		if err := rows.Scan(&p.Tenant, &p.Kind, &seconds, &p.MaxBytes, &p.SetAt, &p.SetBy); err != nil {
			return nil, fmt.Errorf("read the policies of retention: %w", err)
		}
		if p.MaxAge = time.Duration(seconds) * time.Second; !p.None() {
			list = append(list, p)
		}
	}
	return list, rows.Err()
}

// Set sets a policy. It replaces the policy of the same tenant and kind.
func (s *Store) Set(ctx context.Context, p *Policy) error {
	return s.write(ctx, insertPolicy,
		[]any{p.Tenant, p.Kind, uint64(p.MaxAge / time.Second), p.MaxBytes, p.SetAt, p.SetBy})
}

// write inserts rows in one insert.
func (s *Store) write(ctx context.Context, insert string, rows ...[]any) error {
	batch, err := s.conn.PrepareBatch(ctx, insert)
	if err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	defer batch.Close()
	for _, row := range rows {
		if err := batch.Append(row...); err != nil {
			return fmt.Errorf("retention: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("retention: %w", err)
	}
	return nil
}

// cutoff returns the time before which data is too old, ns since 1970; 0 for no limit.
func (p *Policy) cutoff(now time.Time) int64 {
	if p.MaxAge == 0 {
		return 0
	}
	return now.Add(-p.MaxAge).UnixNano()
}

func (p *Policy) args(now time.Time, limit int) []any {
	return []any{
		clickhouse.Named("tenant", p.Tenant), clickhouse.Named("kind", p.Kind),
		clickhouse.Named("cutoff", p.cutoff(now)),
		clickhouse.Named("most", p.MaxBytes), clickhouse.Named("limit", limit),
	}
}

// Due returns the data that is to expire by a policy of recordings, the oldest first.
func (s *Store) Due(ctx context.Context, p *Policy, now time.Time, limit int) ([]Due, error) {
	list := []Due{}
	before := p.cutoff(now)
	if p.MaxBytes > 0 {
		before = 0 // sessions of any age may expire
	}
	args := append(p.args(now, limit), clickhouse.Named("before", before))
	if err := s.conn.Select(ctx, &list, statements.Must("due", p.Kind), args...); err != nil {
		return nil, fmt.Errorf("look for expired %s: %w", p.Kind, err)
	}
	return list, nil
}

// Days returns, for each of the next days, the data that expires by the age of a policy.
func (s *Store) Days(ctx context.Context, p *Policy, now time.Time, days int) ([]Day, error) {
	list := []Day{}
	if p.MaxAge == 0 {
		return list, nil
	}
	args := append(p.args(now, 0), clickhouse.Named("age", uint64(p.MaxAge/time.Second)),
		clickhouse.Named("end", now.AddDate(0, 0, days).Unix()), clickhouse.Named("before", 0))
	if err := s.conn.Select(ctx, &list, statements.Must("days", p.Kind), args...); err != nil {
		return nil, fmt.Errorf("look for %s that expire: %w", p.Kind, err)
	}
	return list, nil
}

// Size returns the stored amount of a kind of recordings.
func (s *Store) Size(ctx context.Context, tenant, kind string) (Size, error) {
	var size Size
	err := s.conn.QueryRow(ctx, statements.Must("size", kind), clickhouse.Named("tenant", tenant),
		clickhouse.Named("kind", kind), clickhouse.Named("before", 0)).ScanStruct(&size)
	if err != nil {
		return size, fmt.Errorf("read the size of %s: %w", kind, err)
	}
	return size, nil
}

// Expiration is data of a session that has expired.
type Expiration struct {
	Tenant  string    `ch:"tenant"`
	Session string    `ch:"session_id"`
	Kind    string    `ch:"kind"`
	Until   string    `ch:"until"`
	At      time.Time `ch:"expired_at"`
	Bytes   uint64    `ch:"bytes"`
}

// Mark records that data has expired. From then on readers refuse to return it.
func (s *Store) Mark(ctx context.Context, p *Policy, list []Due, now time.Time) ([]Expiration, error) {
	marks, rows := make([]Expiration, len(list)), make([][]any, len(list))
	for i, d := range list {
		marks[i] = Expiration{p.Tenant, d.Session, p.Kind, d.Until, now.UTC(), d.Had + d.Bytes}
		rows[i] = marks[i].row(0)
	}
	return marks, s.write(ctx, insertExpiration, rows...)
}

func (e *Expiration) row(finished uint8) []any {
	return []any{e.Tenant, e.Session, e.Kind, e.Until, e.At, e.Bytes, finished}
}

// Unfinished returns expirations whose data may still be stored.
func (s *Store) Unfinished(ctx context.Context, limit int) ([]Expiration, error) {
	var list []Expiration
	if err := s.conn.Select(ctx, &list, unfinished, clickhouse.Named("limit", limit)); err != nil {
		return nil, fmt.Errorf("look for unfinished expirations: %w", err)
	}
	return list, nil
}

// Remove deletes the data of expirations of one tenant and kind, and records that it is deleted.
// Expiring the charges of a session deletes all of its data. Remove is idempotent.
func (s *Store) Remove(ctx context.Context, list []Expiration) error {
	first := list[0]
	last, rows := map[string]string{}, make([][]any, len(list)) // the greatest id of each session
	for i := range list {
		e := &list[i]
		last[e.Session], rows[i] = max(last[e.Session], e.Until), e.row(1)
	}
	sessions, untils := make([]string, 0, len(last)), make([]string, 0, len(last))
	for session, until := range last {
		sessions, untils = append(sessions, session), append(untils, until)
	}
	names := tables.OfKind(first.Kind)
	if first.Kind == tables.Charges {
		names = tables.Names(tables.Recording)
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	for _, table := range names {
		err := s.conn.Exec(ctx, statements.Must("expire", table), clickhouse.Named("tenant", first.Tenant),
			clickhouse.Named("sessions", sessions), clickhouse.Named("untils", untils))
		if err != nil {
			return fmt.Errorf("delete expired rows from %s: %w", table, err)
		}
	}
	return s.write(ctx, insertExpiration, rows...)
}

// FramesExpired returns when the frames of a session expired; the zero time if they have not
// expired, or if frames were recorded later.
func (s *Store) FramesExpired(ctx context.Context, tenant, session string) (time.Time, error) {
	var at time.Time
	err := s.conn.QueryRow(ctx, framesExpired, clickhouse.Named("tenant", tenant),
		clickhouse.Named("session", session)).Scan(&at)
	if err != nil {
		return at, fmt.Errorf("read when frames expired: %w", err)
	}
	if at.Unix() <= 0 {
		return time.Time{}, nil
	}
	return at.UTC(), nil
}
