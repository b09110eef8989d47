package inflight

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestWatermark(t *testing.T) {
	var tr Tracker[string]
	if v, ok := tr.Watermark(); ok {
		t.Fatalf("the watermark of an empty tracker is %q", v)
	}
	a, b, c := tr.Add("a"), tr.Add("b"), tr.Add("c")
	for _, step := range []struct {
		settle uint64
		mark   string
		marked bool
		oldest string
	}{
		{b, "", false, "a"},
		{a, "b", true, "c"},
		{c, "c", true, ""},
	} {
		if _, ok := tr.Settle(step.settle); !ok {
			t.Fatalf("entry %d was not in flight", step.settle)
		}
		mark, marked := tr.Watermark()
		oldest, _ := tr.Oldest()
		if mark != step.mark || marked != step.marked || oldest != step.oldest {
			t.Errorf("after entry %d: watermark %q (%v), oldest %q; want %q (%v), %q",
				step.settle, mark, marked, oldest, step.mark, step.marked, step.oldest)
		}
	}
	if _, ok := tr.Settle(b); ok {
		t.Error("an entry was settled twice")
	}
	if _, ok := tr.Settle(c + 1); ok {
		t.Error("an entry was settled that was never added")
	}
}

// TestAgainstModel compares a tracker with a list of all entries ever added.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tr Tracker[int]
		var settled []bool
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				if n := tr.Add(len(settled)); n != uint64(len(settled)) {
					t.Fatalf("entry %d has the number %d", len(settled), n)
				}
				settled = append(settled, false)
			},
			"settle": func(t *rapid.T) {
				n := rapid.IntRange(0, len(settled)).Draw(t, "number")
				v, ok := tr.Settle(uint64(n))
				if want := n < len(settled) && !settled[n]; ok != want || ok && v != n {
					t.Fatalf("settling %d: %d, %v", n, v, ok)
				}
				if ok {
					settled[n] = true
				}
			},
			"settle while": func(t *rapid.T) {
				below := rapid.IntRange(0, len(settled)).Draw(t, "below")
				var want []int
				for n := range below {
					if !settled[n] {
						want = append(want, n)
						settled[n] = true
					}
				}
				if got := tr.SettleWhile(func(n int) bool { return n < below }); !slices.Equal(got, want) {
					t.Fatalf("settled %v, want %v", got, want)
				}
			},
			"": func(t *rapid.T) {
				open, first := 0, slices.Index(settled, false)
				for _, s := range settled {
					if !s {
						open++
					}
				}
				oldest, inFlight := tr.Oldest()
				if tr.Len() != open || inFlight != (first >= 0) || inFlight && oldest != first {
					t.Fatalf("%d in flight, oldest %d (%v); want %d, oldest %d", tr.Len(), oldest, inFlight, open, first)
				}
				if first < 0 {
					first = len(settled)
				}
				if tr.Settled() != uint64(first) {
					t.Fatalf("settled below %d, want %d", tr.Settled(), first)
				}
				if mark, ok := tr.Watermark(); ok != (first > 0) || ok && mark != first-1 {
					t.Fatalf("watermark %d (%v), the first in flight is %d", mark, ok, first)
				}
			},
		})
	})
}

func BenchmarkAddSettle(b *testing.B) {
	b.ReportAllocs()
	var tr Tracker[uint64]
	for b.Loop() {
		n := tr.Add(0)
		tr.Settle(n)
	}
}
