package dialect

import "testing"

func TestSeen(t *testing.T) {
	const limit = 100
	var s Seen
	for id := range uint64(1000) {
		if s.Note(id, limit) {
			t.Fatalf("%d is new", id)
		}
		for back := range min(id, limit/2) + 1 {
			if !s.Has(id - back) {
				t.Fatalf("after %d: %d is not known any more", id, id-back)
			}
		}
		if n := len(s.ids) + len(s.older); n > limit {
			t.Fatalf("%d ids are kept", n)
		}
	}
	if s.Has(0) || !s.Note(999, limit) {
		t.Error("an id is known that was dropped, or none that was added last")
	}
	if s.Clear(); s.Has(999) {
		t.Error("an id is known after Clear")
	}
}
