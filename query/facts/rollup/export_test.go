package rollup

import "time"

// Clock sets a settler's clock.
func (s *Settler) Clock(now func() time.Time) { s.now = now }

// Steps are the steps of a settlement.
var Steps = []string{stepRows, stepCosts, stepCommitted}
