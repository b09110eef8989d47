package compare

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/query/sessionstreams"
)

// Comparisons of small sessions go on beside one another, those of large ones one at a time.
func TestRoom(t *testing.T) {
	small := []*facts{{streams: &sessionstreams.Row{Bytes: 1000, Frames: 10}}}
	large := []*facts{{streams: &sessionstreams.Row{Bytes: 1 << 40}}, {streams: &sessionstreams.Row{Frames: 1 << 30}}}
	var seats [10]seat
	for i := range seats {
		if err := seats[i].take(t.Context(), small, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	var one, other seat
	err := one.take(t.Context(), large, time.Millisecond)
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != http.StatusServiceUnavailable {
		t.Errorf("a large one beside small ones: %v", err)
	}
	one.leave()
	for i := range seats {
		seats[i].leave()
	}
	if err := one.take(t.Context(), large, time.Minute); err != nil {
		t.Error(err)
	}
	if err := other.take(t.Context(), small, time.Millisecond); err == nil {
		t.Error("one beside a large one")
	}
	other.leave()
	one.leave()
}
