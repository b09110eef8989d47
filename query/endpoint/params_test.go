package endpoint

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/internal/problem"
)

// A range that ends before it begins is refused with both of its ends.
func TestRangeRefused(t *testing.T) {
	now := time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	p := NewParams(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?from=2026-12-01&to=2026-01-01", nil))
	p.Range(time.UTC, now)
	bad, ok := problem.From(p.Done())
	if want := `to "2026-01-01" is before the beginning of the range, "2026-12-01".`; !ok || bad.Parameter != "to" || bad.Detail != want {
		t.Errorf("got %+v, want %s", bad, want)
	}
}
