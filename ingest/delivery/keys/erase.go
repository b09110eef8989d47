package keys

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
)

// kindErased is the kind of the message that replaces an erased log. Requests with the key of an
// erased log are refused as requests with an expired key are.
const kindErased = "erased"

// fillerSubject is the subject of messages that fill a file of the stream.
const fillerSubject = SubjectPrefix + "$filler.0"

// Erased is the result of Erase.
type Erased struct {
	Logs int
	// Last is the sequence up to which messages must be gone before the files of JetStream contain
	// nothing of the logs. Until is the time by which these messages have expired, or the server
	// has compacted the files. Last is 0 if the stream had no messages.
	Last  uint64
	Until time.Time
}

// littleLive is the size of all messages of a stream below which the server compacts each of its
// files: the live messages are then less than half of a file, which has 8 MiB.
const littleLive = 2 << 20

// Erase replaces the logs of a tenant for which erased returns true. The bytes of removed messages
// stay in the files of their JetStream stream, so Erase fills the current file with filler messages,
// of which the stream has two at a time. NATS then rewrites that file without the removed messages,
// unless live messages are more than half of it. NATS compacts older files within its
// sync_interval, which sync must exceed.
func Erase(ctx context.Context, nc *nats.Conn, tenant string, sync time.Duration, erased func(session, streamID string) bool) (*Erased, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	s, err := js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return &Erased{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(SubjectPrefix+tenant+".>"))
	if err != nil {
		return nil, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	if info.State.LastSeq == 0 {
		return &Erased{}, nil
	}
	result := &Erased{}
	for subject := range info.State.Subjects {
		session, streamID, err := logOf(ctx, s, subject)
		if err != nil {
			return nil, err
		}
		if streamID == "" || !erased(session, streamID) {
			continue
		}
		if _, err := js.PublishMsg(ctx, message(subject, kindErased, 0, nil)); err != nil {
			return nil, fmt.Errorf("erase a log in %s: %w", StreamName, err)
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeKeep(1)); err != nil {
			return nil, fmt.Errorf("erase a log in %s: %w", StreamName, err)
		}
		result.Logs++
	}
	if result.Last, err = roll(ctx, js, s); err != nil {
		return nil, err
	}
	if info, err = s.Info(ctx); err != nil {
		return nil, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	result.Until = time.Now().Add(info.Config.MaxAge)
	if info.State.Bytes < littleLive {
		result.Until = time.Now().Add(min(sync, info.Config.MaxAge))
	}
	return result, nil
}

// fillerShare is the part of a stream that one filler may have.
const fillerShare = 16

// roll begins a new file of the stream, and returns the sequence of the last filler. It leaves no
// filler in the stream, where it would take the room of requests.
func roll(ctx context.Context, js jetstream.JetStream, s jetstream.Stream) (last uint64, err error) {
	if err := removeFillers(ctx, s); err != nil { // of an attempt that was interrupted
		return 0, err
	}
	defer func() { err = errors.Join(err, removeFillers(ctx, s)) }()
	most := int64(math.MaxInt64)
	if limit := s.CachedInfo().Config.MaxBytes; limit > 0 {
		most = limit / fillerShare
	}
	return stream.Roll(ctx, js, fillerSubject, most, func(sequence uint64) (err error) {
		if last > 0 {
			err = s.DeleteMsg(ctx, last)
		}
		last = sequence
		return err
	})
}

// removeFillers deletes the fillers one by one.
func removeFillers(ctx context.Context, s jetstream.Stream) error {
	for {
		m, err := s.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(fillerSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err == nil {
			err = s.DeleteMsg(ctx, m.Sequence)
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("remove fillers from %s: %w", StreamName, err)
		}
	}
}

// Gone reports whether the stream of logs has no messages up to a sequence.
func Gone(ctx context.Context, nc *nats.Conn, last uint64) (bool, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return false, fmt.Errorf("JetStream: %w", err)
	}
	s, err := js.Stream(ctx, StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	return s.CachedInfo().State.FirstSeq > last, nil
}

// logOf returns the session and the stream of a log; "" for an erased log.
func logOf(ctx context.Context, s jetstream.Stream, subject string) (session, streamID string, err error) {
	m, err := s.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(subject)) // the first message
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read JetStream stream %s: %w", StreamName, err)
	}
	switch m.Header.Get(headerKind) {
	case kindOpen, kindClaim:
		var o opening
		if err := decode(m.Data, &o); err != nil {
			return "", "", err
		}
		return o.Params.Session, o.StreamID, nil
	case kindEnd:
		var r Result
		if err := decode(m.Data, &r); err != nil {
			return "", "", err
		}
		return r.Params.Session, r.StreamID, nil
	}
	// The beginning of the log has expired.
	if id := m.Header.Get(headerID); len(id) >= 36 && !strings.HasPrefix(id, stream.ImportID) {
		return "", id[:36], nil
	}
	return "", "", nil
}
