package sink

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// script is an iterator that returns so many errors, and then messages.
type script []error

func (s *script) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	if len(*s) == 0 {
		return nil, jetstream.ErrMsgIteratorClosed
	}
	err := (*s)[0]
	*s = (*s)[1:]
	if err != nil {
		return nil, err
	}
	return &recordedMessage{sequence: uint64(len(*s))}, nil
}

func (s *script) Drain() {}
func (s *script) Stop()  {}

// Silence ends nothing as long as the consumer is there; any other failure is the
// last that is handed on.
func TestFeedOverSilence(t *testing.T) {
	gone := errors.New("no such consumer")
	for _, c := range []struct {
		name     string
		comes    script
		there    error
		want     error
		messages int
	}{
		{"silent for a while", script{nil, jetstream.ErrNoHeartbeat, jetstream.ErrNoHeartbeat, nil}, nil, jetstream.ErrMsgIteratorClosed, 2},
		{"silent because it is gone", script{nil, jetstream.ErrNoHeartbeat, nil}, gone, gone, 1},
		{"deleted", script{jetstream.ErrConsumerDeleted, nil}, nil, jetstream.ErrConsumerDeleted, 0},
	} {
		coming := newLanes()
		r := receiver{held: newHeld(1 << 20), to: coming, check: func() error { return c.there }}
		r.subscribe = func() (iterator, error) { return &c.comes, nil }
		if err := r.run(t.Context(), t.Context()); !errors.Is(err, c.want) {
			t.Errorf("%s: it ended with %v, want %v", c.name, err, c.want)
		}
		if n := len(coming.others); n != c.messages {
			t.Errorf("%s: %d messages were passed on, want %d", c.name, n, c.messages)
		}
	}
}
