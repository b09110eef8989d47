package schema

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// Frame is one message as it was transmitted.
//
// The Raw bytes of the frames of one stream and one direction, concatenated in order of Seq, are
// exactly the bytes that were read, including terminators, blank lines, comments and a byte order
// mark. For WebSocket, which has its own message boundaries, Raw is the message's payload.
type Frame struct {
	Seq       uint64 // number in its stream, from 0, without gaps
	At        int64  // arrival of the frame's last byte, ns; never decreases with Seq
	Direction Direction
	Transport Transport
	Flags     Flags
	Raw       []byte
	// Cuts record the arrival of the bytes if they arrived in several reads: each element is a read
	// that ended within the frame. They are nil for nearly every frame.
	Cuts []Cut

	Envelope
}

// Envelope holds the values that a dialect reads from a frame. Any of them may be empty.
type Envelope struct {
	Type    string // the frame's type in its dialect
	Session string // the conversation that the frame names, which may differ from the session that stores it
	Run     string
	Node    string
	Agent   string
	EventID string // the source's own id or sequence number, as text
}

// Cut is the end of a read within a frame.
type Cut struct {
	Offset uint32 // bytes of Raw that had arrived
	At     int64  // when, ns
}

// Direction is the direction of a frame, from the point of view of the stream's client.
type Direction uint8

const (
	Receive Direction = iota // from the agent or its server: the stream itself
	Send                     // to the agent or its server: a request
)

var directionNames = [...]string{"receive", "send"}

// String returns the name that the API uses.
func (d Direction) String() string { return nameOf(directionNames[:], uint8(d)) }

// ParseDirection is the inverse of String.
func ParseDirection(s string) (Direction, error) {
	i, err := indexOf(directionNames[:], s, "direction")
	return Direction(i), err
}

// Transport is the protocol that delimits a frame.
type Transport uint8

const (
	NDJSON      Transport = iota // one line
	SSE                          // one event of a text/event-stream, including its blank line
	WebSocket                    // one message
	HTTP                         // the head of an HTTP message, or one read of any other body
	EventStream                  // one message of application/vnd.amazon.eventstream
	NATS                         // one message of a NATS subject, see AppendNATS
)

var transportNames = [...]string{"ndjson", "sse", "websocket", "http", "eventstream", "nats"}

// String returns the name that the API uses.
func (t Transport) String() string { return nameOf(transportNames[:], uint8(t)) }

// ParseTransport is the inverse of String.
func ParseTransport(s string) (Transport, error) {
	i, err := indexOf(transportNames[:], s, "transport")
	return Transport(i), err
}

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func indexOf(names []string, s, what string) (int, error) {
	for i, n := range names {
		if n == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %q is not one of %s", what, s, strings.Join(names, ", "))
}

// NewStreamID returns the id of a new stream: a UUIDv7 in text form, so that ids sort by the start
// times of their streams.
func NewStreamID() string { return uuid.Must(uuid.NewV7()).String() }

// StreamStarted returns the start time of a stream from its id, in ns with millisecond precision.
// It returns an error if the id is not a UUIDv7.
func StreamStarted(id string) (int64, error) {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return 0, fmt.Errorf("stream id %q is not a UUIDv7", id)
	}
	ms := int64(u[0])<<40 | int64(u[1])<<32 | int64(u[2])<<24 | int64(u[3])<<16 | int64(u[4])<<8 | int64(u[5])
	return ms * 1e6, nil
}

// StartedFrom returns the id of a stream with its time raised to at, ns, if it is earlier. Ids that
// are not stream ids are returned unchanged.
func StartedFrom(id string, at int64) string {
	began, err := StreamStarted(id)
	if err != nil || began >= at {
		return id
	}
	u := uuid.MustParse(id)
	ms := (at + 1e6 - 1) / 1e6
	for i := range 6 {
		u[i] = byte(ms >> (8 * (5 - i)))
	}
	return u.String()
}
