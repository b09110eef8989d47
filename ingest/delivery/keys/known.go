package keys

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/generic"
	"tapedeck/schema/block"
)

// Known is the content of a log.
type Known struct {
	StreamID string
	Frames   uint64         // all frames below are durable
	Bytes    uint64         // number of bytes of the durable frames as they were sent
	Settled  ingest.Settled // session and dialect of the stream so far

	opening   opening
	result    *Result // nil unless the stream was recorded to its end
	prefix    prefix
	masked    bool    // some durable frames are masked: their bytes are not in the digests
	gaps      []gap   // the masked frames after offset
	offset    uint64  // of the request
	unit      Unit    // of the request's offset and of gaps
	whole     *Digest // digest of the whole stream
	tail      *Digest // digest of the input after the request's offset
	last      uint64  // sequence of the last message; 0 if there is none
	forwarded uint64  // see headerForwarded
	size      int64   // of all messages, bytes
}

func newKnown(unit Unit, offset uint64) Known {
	return Known{unit: unit, offset: offset, whole: newDigest(unit, 0), tail: newDigest(unit, offset)}
}

// Masked reports whether durable frames are masked, so that the log lacks what was sent.
func (k *Known) Masked() bool { return k.masked }

// durable returns how much is durable, in units.
func (k *Known) durable() uint64 {
	if k.unit == Frames {
		return k.Frames
	}
	return k.Bytes
}

// read reads the messages of the log that follow the last one read.
func (s *Store) read(ctx context.Context, stream jetstream.Stream, subject string, k *Known) error {
	leave, err := s.enterRead(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if k.last == 0 {
		if done, err := s.readResult(ctx, stream, subject, k); done || err != nil {
			return err
		}
	}
	return walk(ctx, s.js, stream, subject, k.last+1, 0, k.add)
}

// readResult reads only the last message, if it is a result.
func (s *Store) readResult(ctx context.Context, stream jetstream.Stream, subject string, k *Known) (bool, error) {
	m, err := stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
	}
	if m.Header.Get(headerKind) != kindEnd {
		return false, nil
	}
	k.last = m.Sequence
	return true, k.end(m)
}

func (k *Known) end(m *jetstream.RawStreamMsg) error {
	k.result = &Result{}
	if err := decode(m.Data, k.result); err != nil {
		return err
	}
	k.StreamID, k.Frames, k.Bytes = k.result.StreamID, k.result.Frames, k.result.Bytes
	return nil
}

// add applies a message of the log.
func (k *Known) add(m *jetstream.RawStreamMsg) error {
	kind := m.Header.Get(headerKind)
	if k.last == 0 && kind != kindOpen && kind != kindEnd {
		return ErrExpired
	}
	k.last, k.forwarded = m.Sequence, max(k.forwarded, forwardedOf(m.Header))
	k.size += int64(len(m.Data))
	switch kind {
	case kindOpen, kindClaim:
		k.prefix.claimed()
		err := decode(m.Data, &k.opening)
		k.StreamID = k.opening.StreamID
		return err
	case kindEnd:
		return k.end(m)
	}
	b, err := block.Decode(m.Data)
	if err != nil {
		return fmt.Errorf("log of an idempotency key: %w", err)
	}
	if b.State.Dialect != generic.Dialect.Name {
		k.Settled.Dialect = b.State.Dialect
	}
	return k.prefix.add(m, b, k.addFrame)
}

func (k *Known) addFrame(f *logged) error {
	if f.Seq == 0 {
		k.Settled.Session = f.session
	}
	from := k.durable()
	k.Frames++
	k.Bytes += uint64(f.sent.Length)
	if f.sent.Masked {
		k.leaveOut(gap{from, k.durable()})
		return nil
	}
	k.whole.Add(&f.Frame)
	k.tail.Add(&f.Frame)
	return nil
}

// leaveOut passes over a masked frame.
func (k *Known) leaveOut(g gap) {
	k.masked = true
	k.tail.leaveOut(g.to - g.from)
	if g.to > k.offset {
		k.gaps = appendGap(k.gaps, gap{max(g.from, k.offset), g.to})
	}
}
