package rollup

import "time"

// Clock sets a settler's clock.
func (s *Settler) Clock(now func() time.Time) { s.now = now }

// Steps are the steps of a settlement.
var Steps = []string{stepRows, stepCosts, StepInserted, stepCommitted}

// StepInserted is the step at which a settlement is written.
const StepInserted = stepInserted

// Bounds sets the bound of the sessions of a recent batch and the share of a month that is written
// anew, and returns a function that restores them.
func Bounds(most int, share uint64) func() {
	mostBefore, shareBefore := recentMost, rebuildShare
	recentMost, rebuildShare = most, share
	return func() { recentMost, rebuildShare = mostBefore, shareBefore }
}
