package live

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// session identifies a session and the subjects of its blocks in JetStream.
type session struct {
	tenant, id string
	filters    []string
}

func newSession(o *Options, tenant, id string) *session {
	return &session{tenant, id, o.Filters(tenant, id)}
}

// name returns the subject of the session's single blocks, which is unique to the session.
func (s *session) name() string { return s.filters[0] }

// String returns the session's name for messages.
func (s *session) String() string { return "session " + strconv.Quote(s.id) }

// last returns the number of the last message that may contain a block of a session, 0 if there is
// none.
func (l *Library) last(ctx context.Context, s *session) (uint64, error) {
	str, err := l.js.Stream(ctx, l.opts.Stream)
	if err != nil {
		return 0, fmt.Errorf("JetStream stream %s: %w", l.opts.Stream, err)
	}
	var last uint64
	for _, filter := range s.filters {
		m, err := str.GetLastMsgForSubject(ctx, filter)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("last block of %s: %w", s, err)
		}
		last = max(last, m.Sequence)
	}
	return last, nil
}

// none reports whether JetStream has no message that may contain a block of a session
// with a number in [from, to).
func (l *Library) none(ctx context.Context, s *session, from, to uint64) (bool, error) {
	str, err := l.js.Stream(ctx, l.opts.Stream)
	if err != nil {
		return false, fmt.Errorf("JetStream stream %s: %w", l.opts.Stream, err)
	}
	for _, filter := range s.filters {
		m, err := str.GetMsg(ctx, from, jetstream.WithGetMsgSubject(filter))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("block of %s from %d on: %w", s, from, err)
		}
		if m.Sequence < to {
			return false, nil
		}
	}
	return true, nil
}
