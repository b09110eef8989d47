// Package deadletters manages the blocks that could not be stored. The sink sets such a block aside
// with the reason, so that it does not delay other blocks; this package lists, retries and drops
// these blocks.
package deadletters

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	stream "tapedeck/ingest/delivery/jetstream"
)

// Store reads and changes the dead-letter stream.
type Store struct {
	js     jetstream.JetStream
	tenant string // the tenant whose letters the store has; "" for all
}

// Of returns a store of the letters of one tenant. It treats letters of other tenants as missing.
func (s *Store) Of(tenant string) *Store { return &Store{s.js, tenant} }

// has reports whether a message is a letter of the store's tenant.
func (s *Store) has(m *jetstream.RawStreamMsg) bool {
	if s.tenant == "" {
		return true
	}
	tenant, err := ingest.SubjectTenant(m.Header.Get(stream.HeaderSubject))
	return err == nil && tenant == s.tenant
}

// Open returns a store on a connection, which the caller closes.
func Open(nc *nats.Conn) (*Store, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("dead letters: JetStream: %w", err)
	}
	return &Store{js: js}, nil
}

// ErrNone reports that no letter has the given number.
var ErrNone = errors.New("no dead letter has this number")

// Count returns the number of letters and their size in bytes.
func (s *Store) Count(ctx context.Context) (letters, bytes uint64, err error) {
	st, err := s.stream(ctx)
	if err != nil {
		return 0, 0, err
	}
	state := st.CachedInfo().State
	return state.Msgs, state.Bytes, nil
}

func (s *Store) stream(ctx context.Context) (jetstream.Stream, error) {
	st, err := s.js.Stream(ctx, stream.DeadName)
	if err != nil {
		return nil, fmt.Errorf("dead letters: stream %s: %w", stream.DeadName, err)
	}
	return st, nil
}

// List returns up to limit letters after the one with the given number, the oldest first.
func (s *Store) List(ctx context.Context, after uint64, limit int) ([]Letter, error) {
	st, err := s.stream(ctx)
	if err != nil {
		return nil, err
	}
	letters := []Letter{}
	for len(letters) < limit {
		m, err := st.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(stream.DeadSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("dead letters after %d: %w", after, err)
		}
		if after = m.Sequence; s.has(m) {
			letters = append(letters, read(m))
		}
	}
	return letters, nil
}

// Retry publishes letters again under their subjects and removes them from the dead-letter stream:
// the letters with the given numbers, or all letters without numbers. A block that still cannot be
// stored becomes a letter with another number. Retry returns how many letters were published; after
// an error the remaining letters stay.
func (s *Store) Retry(ctx context.Context, seqs ...uint64) (int, error) {
	of, err := stream.NewLayout(s.js).Partitions(ctx)
	if err != nil {
		return 0, err
	}
	return s.each(ctx, seqs, func(m *jetstream.RawStreamMsg) error {
		again := &nats.Msg{Subject: m.Header.Get(stream.HeaderSubject), Data: m.Data, Header: retried(m)}
		if again.Subject, err = ingest.Repartition(again.Subject, of); err != nil {
			return fmt.Errorf("dead letter %d cannot be published again: %w", m.Sequence, err)
		}
		// JetStream deduplicates the message if it is published again after a failed
		// deletion.
		id := fmt.Sprintf("retry-%d-%d", m.Sequence, m.Time.UnixNano())
		if _, err := s.js.PublishMsg(ctx, again, jetstream.WithMsgID(id)); err != nil {
			return fmt.Errorf("publish dead letter %d again: %w", m.Sequence, err)
		}
		return nil
	})
}

// Drop removes letters permanently.
func (s *Store) Drop(ctx context.Context, seqs ...uint64) (int, error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	return s.each(ctx, seqs, func(*jetstream.RawStreamMsg) error { return nil })
}

// each calls do for letters and then removes them.
func (s *Store) each(ctx context.Context, seqs []uint64, do func(*jetstream.RawStreamMsg) error) (int, error) {
	st, err := s.stream(ctx)
	if err != nil {
		return 0, err
	}
	done := 0
	// SecureDeleteMsg overwrites the message, so that an erasure need not search for it.
	handle := func(m *jetstream.RawStreamMsg) error {
		if err := do(m); err != nil {
			return err
		}
		if err := st.SecureDeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("remove dead letter %d: %w", m.Sequence, err)
		}
		done++
		return nil
	}
	for _, seq := range seqs {
		m, err := st.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && !s.has(m) {
			return done, fmt.Errorf("dead letter %d: %w", seq, ErrNone)
		}
		if err == nil {
			err = handle(m)
		}
		if err != nil {
			return done, err
		}
	}
	if len(seqs) > 0 {
		return done, nil
	}
	// Letters that are added meanwhile are not visited, so the loop ends.
	last := st.CachedInfo().State.LastSeq
	for after := uint64(0); ; {
		m, err := st.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(stream.DeadSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence > last {
			return done, nil
		}
		if err == nil && s.has(m) {
			err = handle(m)
		}
		if err != nil {
			return done, err
		}
		after = m.Sequence
	}
}
