package schema

// StreamState is what is known of one stream's part in one session, counted
// from the frame FirstSeq on. It travels with every block, and the newest one
// stands, so that nothing is added up on the way in. A stream that comes back to
// a session after many others begins a new part; readers add up the parts.
type StreamState struct {
	StreamID  string
	FirstSeq  uint64
	Transport Transport
	Dialect   string // as recognised so far
	Evidence  string // why this dialect
	Source    string // where the stream was tapped, for people: a command, a file, a URL
	Tags      map[string]string
	Title     string // what the session is about: the first user message, cut short

	FirstAt int64 // arrival of its first and last frame in this session, ns
	LastAt  int64
	Frames  uint64 // frames of this stream in this session
	Bytes   uint64 // their raw bytes
	// Ended is when the tap saw the end, ns; 0 while the stream runs.
	Ended int64
	// EndReason is one of the End constants, or another "error: …"; empty while
	// the stream runs.
	EndReason string

	// Recorder is the id of the process that records the stream; Digest is the
	// SHA-256 of the bytes of a file or an upload, in hexadecimal; Key is the
	// idempotency key of the request that opened the stream. Each is empty where
	// it does not apply or is not known.
	Recorder string
	Digest   string
	Key      string

	Counters Counters
	// Version rises with the frames: twice the number of the last frame plus one,
	// and one more once the stream has ended. The bits from AttemptShift on count
	// how often the stream was resumed, so that a resumed stream revokes its end.
	Version uint64
}

// Why a stream ended.
const (
	EndEOF    = "eof"    // its source ended it
	EndClosed = "closed" // the connection was closed after the protocol's last event
	// EndClientGone: the client hung up before the protocol's last event.
	EndClientGone = "error: the client went away"
)

// Complete reports whether the stream ended in good order.
func (s *StreamState) Complete() bool {
	return s.Ended != 0 && (s.EndReason == EndEOF || s.EndReason == EndClosed || s.EndReason == "")
}

// Abandoned reports whether the client hung up before the protocol's last event. The
// source did not break the stream off.
func (s *StreamState) Abandoned() bool { return s.Ended != 0 && s.EndReason == EndClientGone }

// AttemptShift is where in a Version the number of the attempt begins.
const AttemptShift = 48

// VersionEnd returns the number after a stream's last frame from its version.
func VersionEnd(version uint64) uint64 { return (version & (1<<AttemptShift - 1)) / 2 }

// Counters count what was special about the frames of a stream in a session.
type Counters struct {
	NotJSON     uint64 `json:"not_json"`
	InvalidUTF8 uint64 `json:"invalid_utf8"`
	Oversize    uint64 `json:"oversize"`
	Unknown     uint64 `json:"unknown"`  // frames of a type that the dialect does not know
	Lost        uint64 `json:"lost"`     // frames lost at the source, by gaps in its ids
	Repeated    uint64 `json:"repeated"` // ids that came twice
	Back        uint64 `json:"back"`     // ids that went back
}
