package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// session is one session, and what finds its blocks in JetStream.
type session struct {
	tenant, id string
	filters    []string
}

func newSession(o *Options, tenant, id string) *session {
	return &session{tenant, id, o.Filters(tenant, id)}
}

// name tells it from all others: the subject of its own blocks.
func (s *session) name() string { return s.filters[0] }

// String is for messages.
func (s *session) String() string { return "session " + strconv.Quote(s.id) }

// last is the number of the last message that may hold a block of a session, 0 if
// there is none.
func (l *Library) last(ctx context.Context, s *session) (uint64, error) {
	var last uint64
	for _, filter := range s.filters {
		n, err := l.lastOf(ctx, filter)
		if err != nil {
			return 0, fmt.Errorf("last block of %s: %w", s, err)
		}
		last = max(last, n)
	}
	return last, nil
}

// lastOf is the number of the last message of a filter, 0 if there is none. The
// client library asks for those of one subject alone; the server knows wildcards
// (NATS ADR-31, Direct Get).
func (l *Library) lastOf(ctx context.Context, filter string) (uint64, error) {
	ask, err := json.Marshal(map[string]string{"last_by_subj": filter})
	if err != nil {
		return 0, err
	}
	answer, err := l.opts.NATS.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+l.opts.Stream, ask)
	if err != nil {
		return 0, err
	}
	if number := answer.Header.Get(jetstream.SequenceHeader); number != "" {
		return strconv.ParseUint(number, 10, 64)
	}
	switch status := answer.Header.Get("Status"); status {
	case "404":
		return 0, nil
	default:
		return 0, fmt.Errorf("JetStream answers %s %s", status, answer.Header.Get("Description"))
	}
}

// none reports whether JetStream has nothing that may hold a block of a session
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
		if err != nil || m.Sequence < to {
			return false, err
		}
	}
	return true, nil
}
