package archive

import (
	"slices"
	"testing"
)

// A day whose index was stored by a run that ended before it stored archive.json is named there by the next
// run that reads the index, so that a check of the archive reads its tapes.
func TestDayOfAnEndedRun(t *testing.T) {
	place := Directory(t.TempDir())
	const day = "2026-11-28"
	if err := writeIndex(t.Context(), place, day, map[string]entry{"s": {Session: "s", File: "s.tape"}}); err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Place: place}, state: &state{Days: []string{"2026-11-01"}}, indexes: map[string]map[string]entry{}}
	for _, d := range []string{day, "2026-11-29"} {
		if _, err := r.index(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"2026-11-01", day}; !slices.Equal(r.state.Days, want) {
		t.Errorf("archive.json names %q, want %q", r.state.Days, want)
	}
}
