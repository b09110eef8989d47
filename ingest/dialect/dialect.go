// Package dialect defines how frames become facts. A Decoder is a state machine for one stream:
// it reads frames and emits facts through an Emitter. Decoders are pure: they use no I/O, clock,
// goroutine or randomness. Decoding a stream again therefore yields the same facts, wherever the
// stream is cut into blocks.
package dialect

import (
	"unsafe"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// Input is one frame as a decoder sees it. It is valid during the call only: a decoder clones
// what it keeps. The texts of the Envelope must stay valid until the decoder's next call. They
// may alias memory of the decoder, but not Data or JSON, whose parser may serve another stream by
// then.
type Input struct {
	// Frame is the frame as the tap cut it. The decoder fills in its Envelope and may add the
	// flags that dialects set. It removes FlagNotJSON from messages that it reads although they
	// are not JSON. It changes nothing else.
	*schema.Frame
	// Data is the message without its transport's framing. It is empty for frames without a
	// message, such as comments and heads.
	Data []byte
	// JSON is Data parsed, or nil if Data is not one valid JSON value. See TextReader for decoders
	// that do not need it parsed.
	JSON *fastjson.Value
	// Event and ID are the fields of an SSE event.
	Event, ID string
}

// Decoder reads one stream.
type Decoder interface {
	// Decode reads one frame. It never fails: it marks a frame that it cannot read with
	// schema.FlagUnknownType.
	Decode(in *Input, b *Emitter)
	// End is called once, after the last frame. at is when the stream ended, ns. It settles what
	// is still open.
	End(at int64, b *Emitter)
}

// TextReader is a Decoder that can read frames without a parsed JSON.
type TextReader interface {
	// ReadsText reports whether the next frame may have Valid for its JSON in place of the parsed
	// value. Parsing is a sixth of the cost of recording.
	ReadsText() bool
}

// Valid is the JSON of an Input whose Data is valid and was not parsed.
var Valid = fastjson.MustParse("null")

// Confidence is how sure a dialect is that a frame is of its protocol.
type Confidence int

const (
	No       Confidence = iota // the frame is not of this dialect
	Possible                   // the frame's form occurs in other dialects as well
	Likely                     // the form is rare in other dialects
	Certain                    // the form occurs in this dialect only
)

// Dialect is one protocol: its name, how to recognise it and how to decode it.
type Dialect struct {
	Name string
	// Match judges one frame of a stream whose dialect is not known, and returns its evidence. It
	// keeps no state. It is called with messages and with the heads of HTTP messages, which have
	// no Data (see HeadOf).
	Match func(in *Input) (Confidence, string)
	// Time reads the time at which the frame was made from the frame itself, ns. It returns 0 for
	// a frame without a time. It is nil for dialects whose frames have no times.
	Time func(in *Input) int64
	// Ends reports whether a frame is the last of an answer. The server sent the frame, and the
	// decoder has read it. See Answered. It is nil for a protocol whose answers end only with
	// their connection.
	Ends func(in *Input) bool
	// New makes the decoder of one stream.
	New func(streamID string) Decoder
}

// Alias returns a string that shares the memory of b. It is for lookups, and for a field of the
// Envelope if the decoder does not write to b before its next call. Facts need clones instead.
func Alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
