package otlphttp

import "testing"

// The least recently used trace is dropped: of a tenant beyond its bound, and else of all.
func TestTraceIndex(t *testing.T) {
	x := newTraceIndex(2, 4)
	check := func(when string, want map[[2]string]string) {
		t.Helper()
		for key, session := range want {
			if got := x.find(key[0], key[1]); got != session {
				t.Errorf("%s: %q has %q, want %q", when, key, got, session)
			}
		}
	}
	x.add("b", "1", "b1")
	x.add("a", "1", "a1")
	x.add("a", "2", "a2")
	x.add("a", "1", "other") // used again, and not changed
	x.add("a", "3", "a3")
	check("a tenant beyond its bound", map[[2]string]string{{"a", "2"}: "", {"a", "1"}: "a1", {"a", "3"}: "a3"})
	check("a tenant beyond its bound", map[[2]string]string{{"b", "1"}: "b1", {"b", "2"}: "", {"c", "1"}: ""})
	x.find("a", "1")
	x.find("b", "1") // so that 3 of a is the least recently used one
	x.add("c", "1", "c1")
	x.add("d", "1", "d1")
	check("all beyond the bound", map[[2]string]string{{"a", "3"}: "", {"a", "1"}: "a1", {"b", "1"}: "b1", {"c", "1"}: "c1", {"d", "1"}: "d1"})
	x.find("c", "1")
	x.find("d", "1")
	x.find("a", "1") // so that b is
	x.add("e", "1", "e1")
	if _, known := x.of["b"]; known || x.order.Len() != 4 {
		t.Errorf("tenant b is kept: %t, %d traces", known, x.order.Len())
	}
}
