package rollup

import "time"

// Clock sets a settler's clock.
func (s *Settler) Clock(now func() time.Time) { s.now = now }

// Steps are the steps of a settlement.
var Steps = []string{stepRows, stepCosts, stepCommitted}

// RecentMost sets the bound of the sessions of a recent batch, and returns a function that restores
// it.
func RecentMost(n int) func() {
	before := recentMost
	recentMost = n
	return func() { recentMost = before }
}
