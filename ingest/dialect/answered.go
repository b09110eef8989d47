package dialect

import (
	"slices"

	"tapedeck/schema"
)

// DoneMarker is the data of the last message of many protocols. It ends an answer in every
// dialect.
const DoneMarker = "[DONE]"

// EndsWith returns a function for Dialect.Ends that reports frames of the given types.
func EndsWith(types ...string) func(*Input) bool {
	return func(in *Input) bool { return slices.Contains(types, in.Type) }
}

// Answered reports whether the server's answer is complete after a frame that the decoder has
// read. before is whether it was complete already. Comments, heads and frames that the client
// sends change nothing. Any other frame after the last one of an answer begins another answer. A
// line that was cut off counts if its message is whole. An SSE event without its blank line has no
// data, unless it is the end marker.
func (d *Dialect) Answered(in *Input, before bool) bool {
	if in.Direction != schema.Receive || len(in.Data) == 0 && !in.Flags.Has(schema.FlagOversize) {
		return before
	}
	if string(in.Data) == DoneMarker {
		return true
	}
	if in.Flags.Has(schema.FlagUnterminated) && in.JSON == nil {
		return false
	}
	return d.Ends != nil && d.Ends(in)
}
