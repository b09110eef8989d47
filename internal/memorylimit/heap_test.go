package memorylimit

import "testing"

func TestBeside(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct{ group, others, want uint64 }{
		{0, gib, 0},                  // no control group: the machine's memory sets no limit
		{10 * gib, 0, 10 * gib},      // a server alone
		{10 * gib, 2 * gib, 8 * gib}, // beside ClickHouse
		{gib, gib, leastHeap},        // ClickHouse may take all of it
		{200 << 20, 0, 200 << 20},    // a very small container
		{200 << 20, gib, 200 << 20},  // and ClickHouse in it
		{2 * gib, gib, gib},
	} {
		if got := Beside(c.group, c.others); got != c.want {
			t.Errorf("of %d beside %d: %d, want %d", c.group, c.others, got, c.want)
		}
	}
}

func TestPercentFor(t *testing.T) {
	last := 100
	for live := uint64(1 << 20); live < 64<<30; live *= 2 {
		percent := percentFor(live)
		if percent > last || percent < 12 {
			t.Errorf("%d bytes: %d %%", live, percent)
		}
		if grown := live / 100 * uint64(percent); live > growth && grown > growth+live/8 {
			t.Errorf("%d bytes may grow by %d", live, grown)
		}
		last = percent
	}
}
