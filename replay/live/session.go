package live

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// session identifies a session.
type session struct{ tenant, id string }

// String returns the session's name for messages.
func (s *session) String() string { return "session " + strconv.Quote(s.id) }

// locate returns the JetStream stream of a session's blocks, and their subjects.
func (l *Library) locate(ctx context.Context, s *session) (name string, subjects []string, err error) {
	return l.opts.Locate(ctx, s.tenant, s.id)
}

// requestTimeout bounds one request to JetStream. The answer is lost if the server that would give it
// ends. The client library has the same limit, but only for contexts without a deadline.
const requestTimeout = 5 * time.Second

// ask makes a request to JetStream.
func ask[T any](ctx context.Context, request func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return request(ctx)
}

// stream returns the stream of a session's blocks with its current state, and their subjects.
func (l *Library) stream(ctx context.Context, s *session) (jetstream.Stream, []string, error) {
	name, subjects, err := l.locate(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	str, err := ask(ctx, func(ctx context.Context) (jetstream.Stream, error) { return l.js.Stream(ctx, name) })
	if err != nil {
		return nil, nil, fmt.Errorf("JetStream stream %s: %w", name, err)
	}
	return str, subjects, nil
}

// last returns the number of the last message that may contain a block of a session, 0 if there is
// none.
func (l *Library) last(ctx context.Context, s *session) (uint64, error) {
	str, filters, err := l.stream(ctx, s)
	if err != nil {
		return 0, err
	}
	var last uint64
	for _, filter := range filters {
		m, err := ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return str.GetLastMsgForSubject(ctx, filter)
		})
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
	str, filters, err := l.stream(ctx, s)
	if err != nil {
		return false, err
	}
	for _, filter := range filters {
		m, err := ask(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return str.GetMsg(ctx, from, jetstream.WithGetMsgSubject(filter))
		})
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
