package record

import (
	"strings"
	"testing"
	"time"

	"tapedeck/internal/console"
	"tapedeck/internal/fulltest"
)

// TestSyncOfManyFiles measures the first and the second sync of many files. It logs the
// figures, which docs/benchmarks.md lists, and asserts what does not depend on the machine.
func TestSyncOfManyFiles(t *testing.T) {
	fulltest.Long(t)
	n := 150
	if fulltest.Wanted() {
		n = 1500
	}
	h := newAgentHome(t)
	size := h.fill(t, n)
	began := time.Now()
	first := h.sync(t)
	took := time.Since(began)
	began = time.Now()
	second := h.sync(t)
	t.Logf("%d files of %d bytes: first sync %v, second %v", n, size, took, time.Since(began))
	if all := console.Count(n, "file"); !strings.Contains(first, "recorded "+all+", ") || !strings.Contains(second, "note     "+all+" unchanged since recorded") ||
		!strings.Contains(second, "recorded 0 files, 0 frames") {
		t.Errorf("the first sync:\n%s\nthe second:\n%s", first, second)
	}
}
