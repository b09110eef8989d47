package deadletters

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
)

// Erase overwrites and removes the letters of the store's tenant for which erased returns true.
// Unreadable letters name no session and remain; Erase returns their number.
func (s *Store) Erase(ctx context.Context, erased func(*Letter) bool) (unreadable int, err error) {
	st, err := s.stream(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for after := uint64(0); ; {
		m, err := st.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(stream.DeadSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return unreadable, nil
		}
		if err != nil {
			return unreadable, fmt.Errorf("dead letters after %d: %w", after, err)
		}
		after = m.Sequence
		if !s.has(m) {
			continue
		}
		l := read(m)
		switch {
		case erased(&l):
			if err := st.SecureDeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
				return unreadable, fmt.Errorf("remove dead letter %d: %w", m.Sequence, err)
			}
		case l.Session == "":
			unreadable++
		}
	}
}
