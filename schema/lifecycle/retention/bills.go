package retention

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Bill is a closed bill that has expired.
type Bill struct {
	Account string `ch:"account"`
	Period  string `ch:"period"`
	Number  string `ch:"number"`
	Attempt string `ch:"attempt"`
}

// Bills returns the closed bills that have expired by a policy. The latest bill of each account is
// kept, since the next bill refers to it.
func (s *Store) Bills(ctx context.Context, p *Policy, now time.Time, limit int) ([]Bill, error) {
	var list []Bill
	if p.MaxAge == 0 {
		return nil, nil
	}
	err := s.conn.Select(ctx, &list, billsDue, clickhouse.Named("tenant", p.Tenant),
		clickhouse.Named("cutoff", p.cutoff(now)), clickhouse.Named("limit", limit))
	if err != nil {
		return nil, fmt.Errorf("look for expired bills: %w", err)
	}
	return list, nil
}

// RemoveBills deletes bills. It deletes their rows first: if it fails half way, a bill without rows
// is found again.
func (s *Store) RemoveBills(ctx context.Context, tenant string, list []Bill) error {
	attempts, numbers := make([]string, len(list)), make([]string, len(list))
	for i, b := range list {
		attempts[i], numbers[i] = b.Attempt, b.Number
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2}))
	err := s.conn.Exec(ctx, deleteBillRows, clickhouse.Named("tenant", tenant), clickhouse.Named("attempts", attempts))
	if err == nil {
		err = s.conn.Exec(ctx, deleteBills, clickhouse.Named("tenant", tenant), clickhouse.Named("numbers", numbers))
	}
	if err != nil {
		return fmt.Errorf("delete expired bills: %w", err)
	}
	return nil
}

// BillDay counts the bills that were closed on a day.
type BillDay struct {
	Day          time.Time `ch:"day"`
	Bills        uint64    `ch:"bills"`
	Bytes        uint64    `ch:"size"`
	Expiring     uint64    `ch:"expiring"` // all but the latest bill of each account
	ExpiringSize uint64    `ch:"expiring_size"`
	Due          uint64    `ch:"due"` // bills that expire with the next round
	DueSize      uint64    `ch:"due_size"`
}

// StoredBills counts the bills of a tenant by the day of their close.
func (s *Store) StoredBills(ctx context.Context, p *Policy, now time.Time) ([]BillDay, error) {
	var list []BillDay
	err := s.conn.Select(ctx, &list, billsStored, clickhouse.Named("tenant", p.Tenant),
		clickhouse.Named("cutoff", p.cutoff(now)))
	if err != nil {
		return nil, fmt.Errorf("count bills: %w", err)
	}
	return list, nil
}
