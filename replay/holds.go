package replay

import "tapedeck/internal/budget"

// Holds estimates the minimum memory of a playback of a tape, bytes: one frame being sent and one
// frame read ahead, each as recorded and as sent.
func Holds(t Tape) int64 {
	var largest uint64
	for _, s := range t.Streams() {
		largest = max(largest, s.Bytes/max(s.Frames, 1))
	}
	return budget.Base + 4*int64(largest)
}
