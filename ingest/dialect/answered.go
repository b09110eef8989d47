package dialect

import (
	"slices"

	"tapedeck/schema"
)

// DoneMarker closes streams of JSON in many protocols. It is the last of an
// answer in every dialect.
const DoneMarker = "[DONE]"

// EndsWith is a Dialect's Ends by the types of frames.
func EndsWith(types ...string) func(*Input) bool {
	return func(in *Input) bool { return slices.Contains(types, in.Type) }
}

// Answered reports whether the server's answer is complete after a frame that
// the decoder has read, given whether it was before. Comments, heads and what
// the client sends change nothing; any other frame that follows the last begins
// another answer. A frame that was cut off counts if its message is whole: a
// client may hang up before the blank line after it.
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
