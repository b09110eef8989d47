package cluster

import (
	"slices"
	"testing"
)

// The placement that is read from the engine of a table is the one that was written.
func TestPlacementFromEngine(t *testing.T) {
	for _, p := range []Placement{
		{{Shards: 2}},
		{{Until: "0198a000-0000", Shards: 2}, {Shards: 3}},
		{{Until: "0198a000-0000", Shards: 2}, {Until: "0199a000-0000", Shards: 3}, {Shards: 12}},
	} {
		engine := "Distributed('c', 'default_local', 'frames', " + p.Key() + ")"
		if got, err := parsePlacement(engine); err != nil || !slices.Equal(got, p) {
			t.Errorf("%s: %v, error %v, want %v", engine, got, err, p)
		}
	}
	if p, err := parsePlacement("Distributed('c', 'd', 'frames', rand())"); err == nil {
		t.Errorf("the placement of another key is %v", p)
	}
}
