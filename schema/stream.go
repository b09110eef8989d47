package schema

// StreamState is the state of one segment of a stream in one session, which begins with the frame
// FirstSeq. Every block has it, and the newest state counts, so that nothing is summed at
// ingestion. A stream that returns to a session after many others begins a new segment; readers sum
// the segments.
type StreamState struct {
	StreamID  string
	FirstSeq  uint64
	Transport Transport
	Dialect   string // as detected so far
	Evidence  string // why the dialect was chosen
	Source    string // where the stream was recorded, for display: a command, a file, a URL
	Tags      map[string]string
	Title     string // the subject of the session: the first user message, truncated

	FirstAt int64 // arrival of its first and last frame in this session, ns
	LastAt  int64
	Frames  uint64 // frames of this stream in this session
	Bytes   uint64 // their raw bytes
	// Ended is when the tap recorded the end, ns; 0 while the stream runs.
	Ended int64
	// EndReason is one of the End constants, or another "error: …"; empty while the stream runs.
	EndReason string

	// Recorder is the id of the process that records the stream. Digest is the SHA-256 of the bytes
	// of a file or an upload, in hexadecimal. Key is the idempotency key of the request that opened
	// the stream. Each is empty if it does not apply or is unknown.
	Recorder string
	Digest   string
	Key      string
	// DecoderVersion is the version of the decoders that derived the facts, 0 if it is unknown.
	DecoderVersion uint32

	Counters Counters
	// Redacted counts the secrets that were masked in the frames, by rule; nil if there are none.
	Redacted map[string]uint64
	// Limits is what the source stated last of the limits of its account (Limits.Text), "" for
	// nothing.
	Limits string
	// Version increases with the frames: it is twice the number of the last frame plus one, plus
	// one more when the stream has ended. The bits from AttemptShift on count how often the stream
	// was resumed, so that a resumed stream revokes its end.
	Version uint64
}

// The end reasons of a stream.
const (
	EndEOF    = "eof"    // the source ended the stream
	EndClosed = "closed" // the connection was closed after the protocol's last event
	// EndClientGone: the client disconnected before the protocol's last event.
	EndClientGone = "error: the client went away"
)

// Complete reports whether the stream ended normally.
func (s *StreamState) Complete() bool {
	return s.Ended != 0 && (s.EndReason == EndEOF || s.EndReason == EndClosed || s.EndReason == "")
}

// Abandoned reports whether the client disconnected before the protocol's last event. In this case
// the source did not break off the stream.
func (s *StreamState) Abandoned() bool { return s.Ended != 0 && s.EndReason == EndClientGone }

// AttemptShift is the position of the attempt number in a Version.
const AttemptShift = 48

// VersionEnd returns the number of frames of a stream from its version: the number after its last
// frame.
func VersionEnd(version uint64) uint64 { return (version & (1<<AttemptShift - 1)) / 2 }

// Counters count special frames of a stream in a session.
type Counters struct {
	NotJSON     uint64 `json:"not_json"`
	InvalidUTF8 uint64 `json:"invalid_utf8"`
	Oversize    uint64 `json:"oversize"`
	Unknown     uint64 `json:"unknown"`  // frames of a type that the dialect does not know
	Lost        uint64 `json:"lost"`     // frames lost at the source, by gaps in its ids
	Repeated    uint64 `json:"repeated"` // ids that were repeated
	Back        uint64 `json:"back"`     // ids that were lower than the previous id
}
