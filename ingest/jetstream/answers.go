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
)

// answers follows the messages on their way until JetStream's answers come. The
// client library's own asynchronous publishing does the same with several objects
// and a timer for every message, which took a tenth more of a processor.
type answers struct {
	nc      *nats.Conn
	release func(weight int64)
	fewer   func()        // called after less is on its way, by a goroutine that may wait
	wake    chan struct{} // has fewer called

	mu     sync.Mutex // guards all below
	inbox  string     // what the replies' subjects begin with; "" before the first message
	count  uint64
	onWay  map[uint64]flight
	expiry *time.Timer // armed while something is on its way
}

// flight is a message on its way.
type flight struct {
	weight int64
	sent   time.Time
	done   func(error)
}

func (a *answers) init(nc *nats.Conn, release func(int64), fewer func()) {
	a.nc, a.release, a.fewer, a.onWay = nc, release, fewer, map[uint64]flight{}
	a.wake = make(chan struct{}, 1)
}

// expect notes a message that is about to be sent, and gives its number and where
// its answer is to go.
func (a *answers) expect(f flight) (number uint64, reply string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inbox == "" {
		if err := a.listen(); err != nil {
			return 0, "", err
		}
	}
	number = a.count
	a.count++
	f.sent = time.Now()
	if len(a.onWay) == 0 {
		a.arm(ackTimeout)
	}
	a.onWay[number] = f
	return number, replyOf(a.inbox, number), nil
}

// listen begins to hear answers, until the connection is closed. It needs mu.
func (a *answers) listen() error {
	inbox := a.nc.NewInbox() + "."
	if _, err := a.nc.Subscribe(inbox+"*", func(m *nats.Msg) { a.heard(inbox, m) }); err != nil {
		return err
	}
	a.inbox = inbox
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

// rouse has fewer called, without waiting for it: hearing does not wait for sending.
func (a *answers) rouse() {
	select {
	case a.wake <- struct{}{}:
	default: // it is about to be
	}
}

// waiting is how many messages wait for their answer.
func (a *answers) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.onWay)
}

// take gives a message that waits for its answer, which it then does no longer.
func (a *answers) take(number uint64) (flight, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, ok := a.onWay[number]
	delete(a.onWay, number)
	if len(a.onWay) == 0 && a.expiry != nil {
		a.expiry.Stop()
	}
	return f, ok
}

// heard takes an answer.
func (a *answers) heard(inbox string, m *nats.Msg) {
	number, ok := numberOf(inbox, m.Subject)
	if !ok {
		return
	}
	if f, ok := a.take(number); ok {
		a.landed(f, answered(m))
		a.rouse()
	}
}

// landed tells a message's fate.
func (a *answers) landed(f flight, err error) {
	a.release(f.weight)
	if err != nil {
		err = fmt.Errorf("publish to JetStream: %w", explain(err))
	}
	f.done(err)
}

// confirmed is how nearly every answer begins.
var confirmed = []byte(`{"stream":"` + StreamName + `"`)

// errAnswer is for an answer that is none of JetStream's.
var errAnswer = errors.New("not an answer of JetStream")

// answered reads an answer: nil if the message was taken.
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

// disconnected gives up what is on its way: its answers went with the connection.
func (a *answers) disconnected() {
	for _, f := range a.takeSent(time.Now()) {
		a.landed(f, nats.ErrDisconnected)
	}
	a.fewer()
}

// expire gives up what was sent too long ago.
func (a *answers) expire() {
	for _, f := range a.takeSent(time.Now().Add(-ackTimeout)) {
		a.landed(f, jetstream.ErrAsyncPublishTimeout)
	}
	a.rouse()
}

// takeSent takes all that was sent up to a time, and has the rest expire.
func (a *answers) takeSent(until time.Time) (taken []flight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var oldest time.Time
	for number, f := range a.onWay {
		switch {
		case !f.sent.After(until):
			taken = append(taken, f)
			delete(a.onWay, number)
		case oldest.IsZero() || f.sent.Before(oldest):
			oldest = f.sent
		}
	}
	if len(a.onWay) > 0 {
		a.arm(time.Until(oldest.Add(ackTimeout)))
	}
	return taken
}

// arm has expire called. It needs mu.
func (a *answers) arm(d time.Duration) {
	if a.expiry == nil {
		a.expiry = time.AfterFunc(d, a.expire)
		return
	}
	a.expiry.Reset(d)
}
