// Package dialect holds the seam between frames and what they mean: a Decoder
// is a state machine, one for each stream, which reads frames and emits facts
// through an Emitter. Decoders are pure: no I/O, no clock, no goroutine, no randomness,
// so that decoding a stream again yields the same facts, wherever the stream is
// cut into blocks.
package dialect

import (
	"unsafe"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// Input is one frame as a decoder sees it. All of it is valid during the call
// only: what a decoder keeps it must clone. The Envelope's texts are to live
// until the decoder's next call: they may stand in memory of the decoder, but
// neither in Data nor in JSON, whose parser may serve another stream by then.
type Input struct {
	// Frame is the frame as cut by the tap. The decoder fills in its Envelope
	// and may add the flags that are a dialect's to set. It takes FlagNotJSON from
	// messages that it reads although they are not JSON; it changes nothing else.
	*schema.Frame
	// Data is the message without its transport's framing; empty for frames
	// that hold none (comments, heads).
	Data []byte
	// JSON is Data parsed, nil where it is not one valid JSON value. See
	// TextReader for those who do not need it parsed.
	JSON *fastjson.Value
	// Event and ID are the fields of an SSE event.
	Event, ID string
}

// Decoder reads one stream.
type Decoder interface {
	// Decode reads one frame. It never fails: what it cannot read it marks with
	// schema.FlagUnknownType and passes over.
	Decode(in *Input, b *Emitter)
	// End is called once, after the last frame, with the time at which the
	// stream ended: what is still open is settled here.
	End(at int64, b *Emitter)
}

// TextReader is a Decoder that may do without Input.JSON.
type TextReader interface {
	// ReadsText reports whether the next frame may come with a JSON that only
	// says, by not being nil, that Data is one valid JSON value: parsing is a
	// sixth of what recording costs.
	ReadsText() bool
}

// Valid is the JSON of an Input whose Data is valid and was not parsed.
var Valid = fastjson.MustParse("null")

// Confidence is how sure a dialect is that a stream is its own.
type Confidence int

const (
	No       Confidence = iota // nothing speaks for it
	Possible                   // could be: the frame's shape occurs in others as well
	Likely                     // a shape that is rare elsewhere
	Certain                    // a shape that only this dialect has
)

// Dialect is one protocol: its name, how to recognise it, how to decode it.
type Dialect struct {
	Name string
	// Match judges one frame of a stream whose dialect is not known, and says
	// what it went by. It keeps no state. It is given messages, and the heads of
	// HTTP messages (see HeadOf), which have no Data.
	Match func(in *Input) (Confidence, string)
	// Time reads the time at which a frame was made off the frame itself, ns,
	// 0 where it says none. Nil for a dialect whose frames carry no times.
	Time func(in *Input) int64
	// Ends reports whether a frame that the server sent, and that the decoder has
	// read, is the last of an answer by the protocol. See Answered. It is nil for a
	// protocol whose answers end only with their connection.
	Ends func(in *Input) bool
	// New makes the decoder of one stream.
	New func(streamID string) Decoder
}

// Alias is a string over b without a copy: to look something up, or for a field
// of the Envelope over memory that the decoder does not write before its next
// call. Facts need clones instead.
func Alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
