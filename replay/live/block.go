package live

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// piece is one session's block as received, alone or from a bundle. A bundle contains at most one
// block per session. A piece is shared by readers, which
// must not change it.
type piece struct {
	number uint64    // sequence number of its message in JetStream
	at     time.Time // when JetStream stored it
	state  schema.StreamState
	frames []schema.Frame
	size   int // approximate memory, bytes
	// encodings are the encodings of the frames while the piece is among the latest of a tail with
	// several readers, otherwise nil. No other field changes.
	encodings atomic.Pointer[[]replay.Encoding]
}

// share begins to keep encodings of the frames.
func (p *piece) share() {
	list := make([]replay.Encoding, len(p.frames))
	p.encodings.Store(&list)
}

// encoded returns the approximate memory that encodings of the frames may take, bytes.
func (p *piece) encoded() (bytes int) {
	for i := range p.frames {
		bytes += replay.MostEncoded(len(p.frames[i].Raw)) + encodingSize
	}
	return bytes
}

// pieceOf decodes a session's block from a message. single reports that the message has the subject
// of single blocks. It returns nil if the message is a bundle
// without a block of the session. The piece does not alias the message.
func pieceOf(m jetstream.Msg, s *session, single bool, number uint64, at time.Time) (*piece, error) {
	entries, err := block.Entries(m.Data(), nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(entries, func(e block.Entry) bool { return e.Session == s.id || single && e.Session == "" })
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

// The approximate memory of a piece and of a frame without the frame's bytes.
const (
	pieceSize = 1000
	frameSize = 250
	// encodingSize is the approximate memory of an encoding without its bytes.
	encodingSize = 100
)

// first and end return the range of frame numbers that the piece covers. Frames in the range that
// the piece does not contain belong to other sessions.
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

// before returns the number of frames of the stream's segment that precede the piece.
func (p *piece) before() uint64 { return p.state.Frames - uint64(len(p.frames)) }
