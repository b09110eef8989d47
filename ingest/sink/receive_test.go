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

// Silence ends nothing as long as the consumer is there; any other failure is the
// last that is handed on.
func TestFeedOverSilence(t *testing.T) {
	gone := errors.New("no such consumer")
	for _, c := range []struct {
		name  string
		comes script
		there error
		want  []error
	}{
		{"silent for a while", script{nil, jetstream.ErrNoHeartbeat, jetstream.ErrNoHeartbeat, nil}, nil,
			[]error{nil, nil, jetstream.ErrMsgIteratorClosed}},
		{"silent because it is gone", script{nil, jetstream.ErrNoHeartbeat, nil}, gone, []error{nil, gone}},
		{"deleted", script{jetstream.ErrConsumerDeleted, nil}, nil, []error{jetstream.ErrConsumerDeleted}},
	} {
		coming := newLanes()
		r := receiver{held: newHeld(1 << 20), to: coming, check: func() error { return c.there }}
		r.subscribe = func() (iterator, error) { return &c.comes, nil }
		r.run(t.Context(), t.Context())
		for i, want := range c.want {
			if d, open := <-coming.others; !open || !errors.Is(d.err, want) {
				t.Errorf("%s: delivery %d is %v, want %v", c.name, i, d.err, want)
			}
		}
		if d, open := <-coming.others; open {
			t.Errorf("%s: one more: %v", c.name, d)
		}
	}
}
