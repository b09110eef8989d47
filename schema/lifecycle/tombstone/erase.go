package tombstone

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// PutAll writes the tombstones of an erasure for sessions of a tenant, or for the whole tenant with
// the session "". They cover all streams up to now.
func (s *Store) PutAll(ctx context.Context, tenant, erasure string, sessions []string) ([]*Tombstone, error) {
	args := []any{clickhouse.Named("tenant", tenant), clickhouse.Named("sessions", sessions)}
	var last time.Time
	if err := s.conn.QueryRow(ctx, latestMarks, args...).Scan(&last); err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	at := later(s.now().UTC(), last) // after the earlier tombstones, even if clocks differ
	return s.PutLike(ctx, &Tombstone{Key: Key{Tenant: tenant}, Until: Bound(at), At: at, Erasure: erasure}, sessions)
}

// PutLike writes tombstones for sessions that are otherwise like one. Streams with greater ids are
// covered as well if they are stored by now, such as those of a recorder whose clock is ahead.
func (s *Store) PutLike(ctx context.Context, like *Tombstone, sessions []string) ([]*Tombstone, error) {
	beyond, err := s.beyond(ctx, []any{
		clickhouse.Named("tenant", like.Tenant), clickhouse.Named("sessions", sessions), clickhouse.Named("until", like.Until),
	})
	if err != nil {
		return nil, err
	}
	batch, err := s.conn.PrepareBatch(ctx, insertTombstone)
	if err != nil {
		return nil, fmt.Errorf("write tombstones: %w", err)
	}
	defer batch.Close()
	list := make([]*Tombstone, len(sessions))
	for i, session := range sessions {
		t := &Tombstone{Key: Key{like.Tenant, session}, Until: like.Until, Streams: beyond[session], At: like.At, Erasure: like.Erasure}
		if t.Streams == nil {
			t.Streams = []string{}
		}
		if err := batch.Append(t.Tenant, t.Session, t.Until, t.Streams, t.At, uint8(0), t.Erasure); err != nil {
			return nil, fmt.Errorf("write tombstones: %w", err)
		}
		list[i] = t
	}
	if err := batch.Send(); err != nil {
		return nil, fmt.Errorf("write tombstones: %w", err)
	}
	return list, nil
}

// beyond returns the streams whose ids are greater than the bound, by session.
func (s *Store) beyond(ctx context.Context, args []any) (map[string][]string, error) {
	rows, err := s.conn.Query(ctx, streamsBeyondMany, args...)
	if err != nil {
		return nil, fmt.Errorf("read the streams of sessions: %w", err)
	}
	defer rows.Close()
	all := map[string][]string{}
	for rows.Next() {
		var session string
		var streams []string
		if err := rows.Scan(&session, &streams); err != nil {
			return nil, fmt.Errorf("read the streams of sessions: %w", err)
		}
		all[session] = streams
	}
	return all, rows.Err()
}

// OfErasure returns the tombstones of an erasure, with the imports after it.
func (s *Store) OfErasure(ctx context.Context, tenant, erasure string) ([]*Tombstone, error) {
	rows, err := s.conn.Query(ctx, ofErasure, clickhouse.Named("tenant", tenant), clickhouse.Named("erasure", erasure))
	if err != nil {
		return nil, fmt.Errorf("read tombstones: %w", err)
	}
	defer rows.Close()
	var list []*Tombstone
	for rows.Next() {
		t := &Tombstone{Key: Key{Tenant: tenant}, Erasure: erasure}
		if err := rows.Scan(&t.Session, &t.Until, &t.Streams, &t.At); err != nil {
			return nil, fmt.Errorf("read tombstones: %w", err)
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// Finish records that no data that the tombstones cover is stored.
func (s *Store) Finish(ctx context.Context, list []*Tombstone) error {
	batch, err := s.conn.PrepareBatch(ctx, insertTombstone)
	if err != nil {
		return fmt.Errorf("write tombstones: %w", err)
	}
	defer batch.Close()
	for _, t := range list {
		if err := batch.Append(t.Tenant, t.Session, t.Until, t.Streams, t.At, uint8(1), t.Erasure); err != nil {
			return fmt.Errorf("write tombstones: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("write tombstones: %w", err)
	}
	return nil
}
