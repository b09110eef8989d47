package bills

import "context"

// Closed returns the closed bills of an account, the last period first; for "" those of all
// accounts of the tenant.
func (s *Store) Closed(ctx context.Context, tenant, account string) ([]Bill, error) {
	return s.closed(ctx, tenant, account, "")
}
