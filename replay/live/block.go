package live

import (
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// piece is a block of a session as it came, by itself or in a bundle, which has one
// at most. It is only read, by any number of readers.
type piece struct {
	number uint64    // of its message in JetStream
	at     time.Time // when JetStream took it
	state  schema.StreamState
	frames []schema.Frame
	size   int // about how many bytes it takes
}

// pieceOf decodes a session's block out of a message: nil if the message, a bundle,
// has none of it. The piece's memory is its own.
func pieceOf(m jetstream.Msg, s *session, number uint64, at time.Time) (*piece, error) {
	entries, err := block.Entries(m.Data(), nil)
	if err != nil {
		return nil, err
	}
	own := m.Subject() == s.name() // a block by itself
	i := slices.IndexFunc(entries, func(e block.Entry) bool { return e.Session == s.id || own && e.Session == "" })
	if i < 0 {
		return nil, nil
	}
	b, err := block.Decode(entries[i].Data)
	if err != nil {
		return nil, err
	}
	p := &piece{number: number, at: at, state: b.State, frames: b.Frames, size: pieceSize}
	for i := range b.Frames {
		p.size += len(b.Frames[i].Raw) + frameSize
	}
	return p, nil
}

// What a piece and a frame take besides the frame's bytes, about.
const (
	pieceSize = 1000
	frameSize = 250
)

// first and end are the numbers of the frames that the piece covers: a frame
// between them that it does not hold belongs to another session.
func (p *piece) first() uint64 {
	if len(p.frames) == 0 {
		return p.end()
	}
	return p.frames[0].Seq
}

func (p *piece) end() uint64 {
	if len(p.frames) == 0 {
		return 0
	}
	return p.frames[len(p.frames)-1].Seq + 1
}

// before returns how many frames of the stream's part come before the piece.
func (p *piece) before() uint64 { return p.state.Frames - uint64(len(p.frames)) }
