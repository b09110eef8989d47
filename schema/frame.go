package schema

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// Frame is one message as it stood on the wire.
//
// The Raw bytes of the frames of one stream and one direction, put end to end
// in order of Seq, are exactly the bytes that were read: terminators, blank
// lines, comments and a byte order mark included. For WebSocket, which has
// message boundaries of its own, Raw is the message's payload.
type Frame struct {
	Seq       uint64 // place in its stream, from 0, without gaps
	At        int64  // arrival of the frame's last byte, ns; never decreases with Seq
	Direction Direction
	Transport Transport
	Flags     Flags
	Raw       []byte
	// Cuts tell how the bytes arrived where they did not come in one read:
	// every element is a read that ended inside the frame. Nil for nearly
	// every frame.
	Cuts []Cut

	Envelope
}

// Envelope is what a dialect reads off a frame. All of it may be empty.
type Envelope struct {
	Type    string // the frame's type, as its dialect calls it
	Session string // the conversation the frame names itself, not where it is stored
	Run     string
	Node    string
	Agent   string
	EventID string // the source's own id or sequence number, as text
}

// Cut is the end of a read inside a frame.
type Cut struct {
	Offset uint32 // bytes of Raw that had arrived
	At     int64  // when, ns
}

// Direction says which way a frame went, seen from the client of the stream.
type Direction uint8

const (
	Receive Direction = iota // from the agent or its server: the stream itself
	Send                     // to the agent or its server: a request
)

var directionNames = [...]string{"receive", "send"}

// String gives the name that the API uses.
func (d Direction) String() string { return nameOf(directionNames[:], uint8(d)) }

// ParseDirection is the reverse of String.
func ParseDirection(s string) (Direction, error) {
	i, err := indexOf(directionNames[:], s, "direction")
	return Direction(i), err
}

// Transport says what cut the frame.
type Transport uint8

const (
	NDJSON    Transport = iota // one line
	SSE                        // one event of a text/event-stream, its blank line included
	WebSocket                  // one message
	HTTP                       // the head of an HTTP message, or a piece of a body of no other kind
)

var transportNames = [...]string{"ndjson", "sse", "websocket", "http"}

// String gives the name that the API uses.
func (t Transport) String() string { return nameOf(transportNames[:], uint8(t)) }

// ParseTransport is the reverse of String.
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

// NewStreamID makes the id of a new stream: a UUIDv7 in text form, so that ids
// sort by the time at which their streams began.
func NewStreamID() string { return uuid.Must(uuid.NewV7()).String() }

// StreamStarted reads the time at which a stream began off its id, in ns, to
// the millisecond. It is an error if the id is not a UUIDv7.
func StreamStarted(id string) (int64, error) {
	u, err := uuid.Parse(id)
	if err != nil || u.Version() != 7 {
		return 0, fmt.Errorf("stream id %q is not a UUIDv7", id)
	}
	ms := int64(u[0])<<40 | int64(u[1])<<32 | int64(u[2])<<24 | int64(u[3])<<16 | int64(u[4])<<8 | int64(u[5])
	return ms * 1e6, nil
}
