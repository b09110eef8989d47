package server

import (
	"testing"

	"tapedeck/ingest/recorders"
	"tapedeck/internal/app/node"
)

// What follows running sessions asks the heartbeats of the node; a node without them
// leaves the interface nil.
func TestFollowersAskHeartbeats(t *testing.T) {
	registry := &recorders.Registry{}
	if got := (&Server{Options: Options{Node: &node.Node{Recorders: registry}}}).following().Recorders; got != registry {
		t.Errorf("recorders %v, want those of the node", got)
	}
	if got := (&Server{Options: Options{Node: &node.Node{}}}).following().Recorders; got != nil {
		t.Errorf("recorders %v of a node without heartbeats, want nil", got)
	}
}
