package loom

import "testing"

// No two names share a place in the table.
func TestFields(t *testing.T) {
	for f, name := range fieldNames[:noField] {
		if got := fieldOf([]byte(name)); got != field(f) || name == "" {
			t.Errorf("%q is found as %q", name, fieldNames[got])
		}
	}
	for _, name := range []string{"", "t", "Type", "types", "typf", "session_ie"} {
		if got := fieldOf([]byte(name)); got != noField {
			t.Errorf("%q is found as %q", name, fieldNames[got])
		}
	}
}

// What is done with a type is said in one place of the table.
func TestKinds(t *testing.T) {
	for name, k := range byName {
		if k.name != name || (k.event == nil) == (k.server == nil) || k.event == nil && k.export != "" {
			t.Errorf("%q is %+v", name, k)
		}
	}
	for key, k := range byExport {
		if k.export != key || k.event == nil {
			t.Errorf("%q is %+v", key, k)
		}
	}
}
