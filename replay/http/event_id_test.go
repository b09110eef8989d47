package replayhttp

import (
	"strings"
	"testing"

	"tapedeck/replay"
	"tapedeck/schema"
)

// A frame's id is its position; if it came live and its position does not show
// what came before it, the id names its block, too.
func TestEventID(t *testing.T) {
	f := &replay.Frame{
		Frame:  schema.Frame{At: 17, Seq: 3, Raw: []byte("{}\n")},
		Stream: &schema.StreamState{StreamID: "019b7d3c-0000-7000-8000-000000000000"},
	}
	position := f.Position().String()
	for block, want := range map[uint64]string{0: position, 9: position + "~9"} {
		f.Block = block
		id, message := newEvents("s", 0).encode(f)
		if string(id) != want || strings.Contains(string(message), `"resume":"`+want+`"`) != (block != 0) ||
			!strings.HasPrefix(string(message), `{"position":"`+position+`"`) {
			t.Errorf("block %d: id %s, message %s", block, id, message)
		}
	}
}
