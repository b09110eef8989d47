package sessionhead_test

import (
	"testing"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/spanmerge"
)

// Runs are marked by the attribute that dialects set, beside others or alone.
func TestInseparableRuns(t *testing.T) {
	counts := sessionhead.CountSpans([]spanmerge.Span{
		{ID: "a", Kind: "run", Attributes: `{"stop_reason":"stop","inseparable":true}`},
		{ID: "b", Kind: "run", Attributes: `{"inseparable":true}`},
		{ID: "c", Kind: "run", Attributes: `{"stop_reason":"inseparable"}`},
		{ID: "d", Kind: "run"},
		{ID: "e", Kind: "tool", Attributes: `{"inseparable":true}`},
	})
	if counts.InseparableRuns != 2 {
		t.Errorf("%d runs, want 2", counts.InseparableRuns)
	}
}
