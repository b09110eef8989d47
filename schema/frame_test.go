package schema

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// An id that is older than a time becomes one of that time, and ids of one time stay apart; newer ids,
// and those of no streams, stay.
func TestStartedFrom(t *testing.T) {
	a, b := NewStreamID(), NewStreamID()
	at := time.Now().Add(time.Hour + 300*time.Microsecond).UnixNano()
	shownA, shownB := StartedFrom(a, at), StartedFrom(b, at)
	for _, id := range []string{shownA, shownB} {
		began, err := StreamStarted(id)
		if u, bad := uuid.Parse(id); err != nil || bad != nil || u.Version() != 7 || u.Variant() != uuid.RFC4122 {
			t.Fatalf("%s is not a UUIDv7: %v", id, err)
		}
		if began < at || began-at >= int64(time.Millisecond) {
			t.Errorf("%s has the time %d, want the first millisecond from %d on", id, began, at)
		}
	}
	if shownA == shownB || shownA == a {
		t.Errorf("%s and %s become %s and %s", a, b, shownA, shownB)
	}
	if again := StartedFrom(shownA, at); again != shownA {
		t.Errorf("%s becomes %s", shownA, again)
	}
	for _, id := range []string{"", "a session", "9f2b6c1e-0000-4000-8000-000000000000"} {
		if got := StartedFrom(id, at); got != id {
			t.Errorf("%q becomes %q", id, got)
		}
	}
}
