package dialect

import (
	"fmt"
	"testing"
)

func TestRecent(t *testing.T) {
	var r Recent
	if r.Has([]byte("a")) || r.Note([]byte("a"), 3) {
		t.Error("an empty set contains an id")
	}
	if !r.Has([]byte("a")) || !r.Note([]byte("a"), 3) {
		t.Error("an id that was added is not in the set")
	}
	r.Add(nil, 3)
	if r.Has(nil) || r.Note(nil, 3) {
		t.Error("the empty id is in the set")
	}
	for i := range 100 {
		r.Add(fmt.Append(nil, i), 3)
		for j := range i + 1 {
			if got, want := r.Has(fmt.Append(nil, j)), j > i-3; got != want {
				t.Fatalf("after %d ids %d is in the set: %t", i+1, j, got)
			}
		}
	}
	if n := r.Len(); n != 3 {
		t.Errorf("the set holds %d ids, not 3", n)
	}
	r.Clear()
	if r.Has([]byte("99")) {
		t.Error("a set that was cleared contains an id")
	}
	r.AddHash(7, 3)
	if !r.HasHash(7) || r.HasHash(8) {
		t.Error("hashes are not looked up as they were added")
	}
}
