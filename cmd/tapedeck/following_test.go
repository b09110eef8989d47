package main

import (
	"testing"

	"tapedeck/ingest/recorders"
)

// What follows running sessions asks the heartbeats of the node; a node without them
// leaves the interface nil.
func TestFollowersAskHeartbeats(t *testing.T) {
	heard := &recorders.Registry{}
	if got := (&server{node: &node{recorders: heard}}).following().Recorders; got != heard {
		t.Errorf("recorders %v, want those of the node", got)
	}
	if got := (&server{node: &node{}}).following().Recorders; got != nil {
		t.Errorf("recorders %v of a node without heartbeats, want nil", got)
	}
}
