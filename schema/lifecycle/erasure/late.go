package erasure

import (
	"context"
	"fmt"
)

// Late is a verified erasure whose rows are stored again.
type Late struct{ Tenant, Erasure string }

// Late returns the verified erasures whose rows are stored again.
func (s *Store) Late(ctx context.Context) ([]Late, error) {
	rows, err := s.conn.Query(ctx, lateRows)
	if err != nil {
		return nil, fmt.Errorf("look for rows of erasures: %w", err)
	}
	defer rows.Close()
	var list []Late
	for rows.Next() {
		var l Late
		if err := rows.Scan(&l.Tenant, &l.Erasure); err != nil {
			return nil, fmt.Errorf("look for rows of erasures: %w", err)
		}
		list = append(list, l)
	}
	return list, rows.Err()
}
