package jetstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.opentelemetry.io/otel/trace"

	"tapedeck/internal/inflight"
	"tapedeck/internal/tracing"
)

// answers tracks the messages in flight until the acknowledgements of JetStream arrive. It replaces
// the asynchronous publishing of the client library, which needs several objects and a timer for
// every message and 10 % more CPU time.
type answers struct {
	nc      *nats.Conn
	release func(weight int64)
	closed  func()        // called when no stream has the subject of a message
	fewer   func()        // called when fewer messages are in flight, by a goroutine that may wait
	wake    chan struct{} // makes the goroutine call fewer

	mu       sync.Mutex // guards the fields below
	inbox    string     // prefix of the reply subjects; "" before the first message
	inFlight inflight.Tracker[sent]
	expiry   *time.Timer // runs while messages are in flight
}

// sent is a message in flight.
type sent struct {
	weight int64
	at     time.Time
	dones  []func(error) // of its blocks
	span   trace.Span
}

func (a *answers) init(nc *nats.Conn, release func(int64), fewer, closed func()) {
	a.nc, a.release, a.fewer, a.closed = nc, release, fewer, closed
	a.wake = make(chan struct{}, 1)
}

// expect adds a message that is about to be sent, and returns its number and its reply subject.
func (a *answers) expect(m sent) (number uint64, reply string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inbox == "" {
		if err := a.listen(); err != nil {
			return 0, "", err
		}
	}
	m.at = time.Now()
	if a.inFlight.Len() == 0 {
		a.arm(ackTimeout)
	}
	number = a.inFlight.Add(m)
	publishInFlight.Inc()
	return number, replyOf(a.inbox, number), nil
}

// listen subscribes to acknowledgements until the connection is closed. mu is held.
func (a *answers) listen() error {
	a.inbox = a.nc.NewInbox() + "."
	if _, err := a.nc.Subscribe(a.inbox+"*", a.receive); err != nil {
		a.inbox = ""
		return err
	}
	broken := a.nc.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	go func() {
		for {
			select {
			case <-a.wake:
				a.fewer()
			case status := <-broken:
				a.disconnected()
				if status == nats.CLOSED {
					a.nc.RemoveStatusListener(broken)
					return
				}
			}
		}
	}()
	return nil
}

// notify makes the goroutine call fewer. It does not wait for the call, so that receiving
// acknowledgements does not wait for sending.
func (a *answers) notify() {
	select {
	case a.wake <- struct{}{}:
	default: // a call is pending already
	}
}

// waiting returns the number of messages in flight.
func (a *answers) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inFlight.Len()
}

// take removes a message from the messages in flight.
func (a *answers) take(number uint64) (sent, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.inFlight.Settle(number)
	if ok {
		publishInFlight.Dec()
	}
	if a.inFlight.Len() == 0 && a.expiry != nil {
		a.expiry.Stop()
	}
	return m, ok
}

// receive settles the message whose acknowledgement arrived.
func (a *answers) receive(m *nats.Msg) {
	number, ok := numberOf(a.inbox, m.Subject) // inbox does not change once it is subscribed to
	if !ok {
		return
	}
	if s, ok := a.take(number); ok {
		a.settle(s, answered(m))
		a.notify()
	}
}

// settle reports the outcome of a message that was removed from the messages in flight to its blocks.
func (a *answers) settle(m sent, err error) {
	a.release(m.weight)
	publishSeconds.Observe(time.Since(m.at).Seconds())
	if m.span != nil {
		tracing.End(m.span, err, reason(err))
	}
	if err != nil {
		publishFailures.Inc()
		if errors.Is(err, nats.ErrNoResponders) {
			a.closed()
		}
		err = fmt.Errorf("publish to JetStream: %w", explain(err))
	}
	for _, done := range m.dones {
		done(err)
	}
}

// confirmed is the prefix of nearly every acknowledgement.
var confirmed = []byte(`{"stream":"` + StreamName)

// errAnswer reports a reply that is not from JetStream.
var errAnswer = errors.New("not an answer from JetStream")

// answered returns the error in a reply, nil if JetStream accepted the message.
func answered(m *nats.Msg) error {
	if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return nats.ErrNoResponders
	}
	if bytes.HasPrefix(m.Data, confirmed) && !bytes.Contains(m.Data, []byte(`"error"`)) {
		return nil
	}
	var answer struct {
		Error  *jetstream.APIError `json:"error"`
		Stream string              `json:"stream"`
	}
	switch err := json.Unmarshal(m.Data, &answer); {
	case err != nil:
		return fmt.Errorf("%w: %w", errAnswer, err)
	case answer.Error != nil:
		return answer.Error
	case answer.Stream == "":
		return errAnswer
	}
	return nil
}

// disconnected fails all messages in flight, because their acknowledgements were lost with the
// connection.
func (a *answers) disconnected() {
	a.failSent(time.Now(), nats.ErrDisconnected)
	a.fewer()
}

// expire fails messages that were sent longer than ackTimeout ago.
func (a *answers) expire() {
	a.failSent(time.Now().Add(-ackTimeout), jetstream.ErrAsyncPublishTimeout)
	a.notify()
}

// failSent fails all messages that were sent up to a time, and sets the timer for the rest.
func (a *answers) failSent(until time.Time, err error) {
	a.mu.Lock()
	failed := a.inFlight.SettleWhile(func(m sent) bool { return !m.at.After(until) })
	publishInFlight.Sub(float64(len(failed)))
	if oldest, ok := a.inFlight.Oldest(); ok {
		a.arm(time.Until(oldest.at.Add(ackTimeout)))
	}
	a.mu.Unlock()
	for _, m := range failed {
		a.settle(m, err)
	}
}

// arm sets the timer for expire. mu is held.
func (a *answers) arm(d time.Duration) {
	if a.expiry == nil {
		a.expiry = time.AfterFunc(d, a.expire)
		return
	}
	a.expiry.Reset(d)
}
