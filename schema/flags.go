package schema

import (
	"math/bits"
	"strings"
)

// Flags mark special properties of a frame. A frame without flags is a well-formed message that
// arrived in a separate read.
type Flags uint32

const (
	// Set by the tap, from the bytes and their arrival.

	FlagNotJSON      Flags = 1 << iota // the payload is not one valid JSON value
	FlagInvalidUTF8                    // the bytes are not valid UTF-8
	FlagNUL                            // a NUL byte is among the bytes
	FlagUnterminated                   // the stream ended inside this message
	FlagOversize                       // a piece of a message over the frame limit: not decoded
	FlagBinary                         // a binary WebSocket message
	FlagJoined                         // arrived in the same read as the previous frame
	FlagNote                           // holds no message: a comment, a blank line, a head

	// Set by the dialect, from the content of the frame.

	FlagUnknownType // a type that the dialect does not know
	FlagEventGap    // ids are missing before this frame: frames were lost at the source
	FlagEventRepeat // the same id as the previous frame
	FlagEventBack   // a lower id than the previous frame

	// Also set by the tap. They come last, so that stored flags keep their bits.

	FlagTooDeep     // valid JSON that is nested deeper than the decoder reads (wellformed.MaxDepth)
	FlagRedacted    // secrets were removed from the bytes before recording
	FlagBadChecksum // a message of an event stream that fails its checksum, or bytes between two of its messages
	FlagCopied      // repeats a message of another stream: no facts are derived from it

	// Set by the decoder, whatever the dialect.

	FlagUnreadUsage // states a number of used tokens, but no usage was recorded from it
)

var flagNames = [...]string{
	"not_json", "invalid_utf8", "nul", "unterminated", "oversize", "binary", "joined", "note",
	"unknown_type", "event_gap", "event_repeat", "event_back",
	"too_deep", "redacted", "bad_checksum", "copied", "unread_usage",
}

// Has reports whether all of want are set.
func (f Flags) Has(want Flags) bool { return f&want == want }

// Names returns the names of the flags that are set, as the API uses them.
func (f Flags) Names() []string {
	names := make([]string, 0, bits.OnesCount32(uint32(f)))
	for i, name := range flagNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names, separated by commas.
func (f Flags) String() string { return strings.Join(f.Names(), ",") }
