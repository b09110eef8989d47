package jetstream

import (
	"sort"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/block"
)

// waitingMessages holds what is known of the messages of a tenant that wait for the sink, in the
// order of their sequences.
type waitingMessages struct {
	list    []waitingMessage
	frames  uint64
	streams map[string]int // number of messages by the stream's short name
	named   int            // number of names in the list
	unknown int            // messages of which a part is unknown
}

// waitingMessage is a message that was read once.
type waitingMessage struct {
	sequence uint64
	at       time.Time // when JetStream stored it
	contents
	unknown bool // it has blocks that cannot be decoded
}

const (
	// mostWaiting bounds the messages of a tenant that are remembered, mostNamed the names of
	// streams in them.
	mostWaiting = 8192
	mostNamed   = 1 << 16
)

// startAt forgets all messages before m, which is the oldest one that waits; all if m is nil. If
// m is not among the messages, the stream was recreated, and startAt forgets them as well.
func (w *waitingMessages) startAt(m *jetstream.RawStreamMsg) {
	if m == nil {
		*w = waitingMessages{}
		return
	}
	at := sort.Search(len(w.list), func(i int) bool { return w.list[i].sequence >= m.Sequence })
	if at == len(w.list) || w.list[at].sequence != m.Sequence || !w.list[at].at.Equal(m.Time) {
		*w = waitingMessages{}
		return
	}
	for i := range w.list[:at] {
		w.count(&w.list[i], -1)
	}
	w.list = append(w.list[:0], w.list[at:]...)
}

// add adds a message that follows all others.
func (w *waitingMessages) add(m waitingMessage) {
	if w.streams == nil {
		w.streams = map[string]int{}
	}
	w.list = append(w.list, m)
	w.count(&w.list[len(w.list)-1], 1)
}

// count adds a message to the sums, or subtracts it if sign is -1.
func (w *waitingMessages) count(m *waitingMessage, sign int) {
	w.frames += uint64(sign) * m.frames
	w.named += sign * len(m.streams)
	if m.unknown {
		w.unknown += sign
	}
	for _, name := range m.streams {
		if w.streams[name] += sign; w.streams[name] == 0 {
			delete(w.streams, name)
		}
	}
}

func (w *waitingMessages) empty() bool { return len(w.list) == 0 }

// last returns the sequence of the last message. There is one.
func (w *waitingMessages) last() uint64 { return w.list[len(w.list)-1].sequence }

// full reports whether no more messages are remembered.
func (w *waitingMessages) full() bool { return len(w.list) >= mostWaiting || w.named >= mostNamed }

// sum returns what the messages hold.
func (w *waitingMessages) sum() Waiting {
	if w.empty() {
		return Waiting{}
	}
	return Waiting{Frames: w.frames, Streams: len(w.streams), More: w.unknown > 0, OldestAt: w.list[0].at}
}

// contentsOf returns what a message holds: as its header states it, or from its blocks if an earlier
// version has published it, or another program.
func (r *WaitingReader) contentsOf(m *jetstream.RawStreamMsg) waitingMessage {
	w := waitingMessage{sequence: m.Sequence, at: m.Time}
	if stated, ok := parseContents(m.Header.Get(HeaderContents)); ok {
		w.contents = stated
		return w
	}
	w.unknown = !r.decode(m, func(b *block.Block) { w.add(b.State.StreamID, len(b.Frames)) })
	return w
}

// decode calls add for each block of a message. It returns false if not all of them can be decoded.
func (r *WaitingReader) decode(m *jetstream.RawStreamMsg, add func(*block.Block)) bool {
	entries, err := block.Entries(m.Data, nil)
	if err != nil {
		return false
	}
	var decoder block.Decoder
	var b block.Block
	all := true
	for _, e := range entries {
		r.decoded.Add(1)
		if err := decoder.Decode(e.Data, &b); err != nil {
			all = false
			continue
		}
		add(&b)
	}
	return all
}
