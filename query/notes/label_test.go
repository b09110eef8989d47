package notes_test

import (
	"strings"
	"testing"

	"tapedeck/query/notes"
	"tapedeck/query/querytest"
)

// A label is put on a session once and removed from all its notes; what else they say stays.
func TestLabels(t *testing.T) {
	db := querytest.Open(t)
	db.Add(recordings()...)
	r := querytest.Reader(db, 100)
	add(t, r, db.Tenant, "s0", notes.Content{Text: "why", Labels: []string{"bug", "late"}})
	changed := func(l *notes.Labelling, err error) bool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l.Changed
	}
	if changed(notes.AddLabel(t.Context(), r, db.Tenant, "s0", "ops", "bug")) || !changed(notes.AddLabel(t.Context(), r, db.Tenant, "s0", "ops", " a/b ")) ||
		changed(notes.AddLabel(t.Context(), r, db.Tenant, "s0", "ops", "a/b")) {
		t.Error("a label that the session has was added, or one that it lacks was not")
	}
	labels := func() string {
		var all []string
		for _, n := range querytest.Must[[]notes.Note](t)(notes.OfSession(t.Context(), r, db.Tenant, "s0")) {
			all = append(all, n.Text+":"+strings.Join(n.Labels, ","))
		}
		return strings.Join(all, " ")
	}
	if got := labels(); got != "why:bug,late :a/b" && got != ":a/b why:bug,late" {
		t.Errorf("the labels are %s", got)
	}
	if !changed(notes.RemoveLabel(t.Context(), r, db.Tenant, "s0", "a/b")) || !changed(notes.RemoveLabel(t.Context(), r, db.Tenant, "s0", "bug")) ||
		changed(notes.RemoveLabel(t.Context(), r, db.Tenant, "s0", "bug")) {
		t.Error("a label that the session has was not removed, or one that it lacks was")
	}
	if got := labels(); got != "why:late" {
		t.Errorf("the labels are %s", got)
	}
	if _, err := notes.AddLabel(t.Context(), r, db.Tenant, "s0", "ops", "a,b"); statusOf(err) != 400 {
		t.Errorf("a label with a comma: %v", err)
	}
	if _, err := notes.AddLabel(t.Context(), r, db.Tenant, "nope", "ops", "a"); statusOf(err) != 404 {
		t.Errorf("an unknown session: %v", err)
	}
}
