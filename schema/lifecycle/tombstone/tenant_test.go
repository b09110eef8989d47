package tombstone

import (
	"testing"
	"time"

	"tapedeck/schema"
)

// A stream that is imported into an erased tenant is not deleted for other processes, also if its
// session was not stored when the tenant was erased. Other streams of that time are.
func TestImportIntoErasedTenant(t *testing.T) {
	conn := open(t)
	store := NewStore(conn)
	imported, other := schema.NewStreamID(), schema.NewStreamID()
	if _, err := store.PutAll(t.Context(), "acme", "e1", []string{""}); err != nil {
		t.Fatal(err)
	}
	load := func() *Set {
		t.Helper()
		set := NewSet(store)
		if err := set.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		return set
	}
	of := Key{"acme", "s"}
	ingest, sink := load(), load()
	if !sink.Covers(t.Context(), of, imported, time.Now()) {
		t.Fatal("a stream of an erased tenant is not deleted")
	}
	gone := ingest.Known(of)
	if err := store.Restore(t.Context(), gone, imported); err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]*Set{"a process that knows the tombstone": sink, "a process that starts later": load()} {
		if set.Covers(t.Context(), of, imported, time.Now()) {
			t.Errorf("%s takes the imported stream for deleted", name)
		}
		if !set.Covers(t.Context(), of, other, time.Now()) || !set.Covers(t.Context(), Key{"acme", "another"}, other, time.Now()) {
			t.Errorf("%s takes a stream for kept that was not imported", name)
		}
		for _, learned := range set.Learned() {
			if learned.Key != (Key{Tenant: "acme"}) {
				t.Errorf("%s learned the deletion of %v", name, learned.Key)
			}
		}
	}
	// The tombstone is that of the tenant: the session has none.
	if own, err := store.Find(t.Context(), of); own != nil || err != nil {
		t.Errorf("the session has the tombstone %+v (%v)", own, err)
	}
	// A later erasure of the tenant covers what was imported before it.
	if _, err := store.PutAll(t.Context(), "acme", "e2", []string{""}); err != nil {
		t.Fatal(err)
	}
	if !load().Covers(t.Context(), of, imported, time.Now()) {
		t.Error("a stream that was imported before the tenant was erased once more is not deleted")
	}
}
