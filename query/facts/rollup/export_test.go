package rollup

import "time"

// Reached sets what a settler calls after each step.
func (s *Settler) Reached(f func(step string) error) { s.reached = f }

// Clock sets a settler's clock.
func (s *Settler) Clock(now func() time.Time) { s.now = now }

// Steps are the steps of a settlement.
var Steps = []string{stepRows, stepCosts, stepCommitted}
