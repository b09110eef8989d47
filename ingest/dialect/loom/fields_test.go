package loom

import "testing"

// All names have different places in the table.
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

// Every type has exactly one handler.
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
