package memorylimit

import (
	"testing"

	"tapedeck/internal/bounded"
)

// Large garbage counts until it is collected, which happens at once if there is much of it, and else
// when something waits; small garbage, and all of it without a limit of memory, does not count.
func TestAfterCollection(t *testing.T) {
	collected := make(chan int64, 1)
	release := func(n int64) bool { return AfterCollection(n, func() { collected <- n }) }
	if release(1 << 30) {
		t.Error("garbage counts without a limit of memory")
	}
	LimitGarbage(garbageShare * 8 << 20)
	defer LimitGarbage(0)
	if release(LargeGarbage - 1) {
		t.Error("small garbage counts")
	}
	if !release(8<<20) || bounded.Receive(t, collected) != 8<<20 {
		t.Error("much garbage was not collected")
	}
	if !release(LargeGarbage) {
		t.Error("large garbage does not count")
	}
	Collect()
	if bounded.Receive(t, collected) != LargeGarbage {
		t.Error("garbage was not collected for one who waits")
	}
}
