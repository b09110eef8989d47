package admission

import (
	"errors"
	"slices"
	"testing"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// A block of a deleted session is decoded only if it takes little memory: its sender chooses what it
// unpacks to.
func TestOpen(t *testing.T) {
	of := block.Block{Session: "s", State: schema.StreamState{StreamID: "x"}, Left: []block.Left{{Session: "a"}, {Session: "b"}}}
	got, err := open(block.Encode(nil, &of, block.S2))
	if err != nil || got.stream != "x" || !slices.Equal(got.left, []string{"a", "b"}) {
		t.Errorf("%+v, %v", got, err)
	}
	of.Frames = make([]schema.Frame, openLimit/160)
	if _, err := open(block.Encode(nil, &of, block.S2)); !errors.Is(err, block.ErrFormat) {
		t.Errorf("a block that takes too much memory is decoded: %v", err)
	}
}
