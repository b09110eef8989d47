package jetstream

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestAnswered(t *testing.T) {
	var full *jetstream.APIError
	for _, c := range []struct {
		name string
		msg  nats.Msg
		want error // nil: taken
	}{
		{"taken", nats.Msg{Data: []byte(`{"stream":"TAPEDECK", "seq":22}`)}, nil},
		{"taken, a repeat", nats.Msg{Data: []byte(`{"stream":"TAPEDECK","duplicate":true,"seq":22}`)}, nil},
		{"taken, written otherwise", nats.Msg{Data: []byte(`{"seq":22, "stream":"TAPEDECK"}`)}, nil},
		{"nobody there", nats.Msg{Header: nats.Header{"Status": {"503"}}}, nats.ErrNoResponders},
		{"refused", nats.Msg{Data: []byte(`{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"TAPEDECK","seq":0}`)}, full},
		{"refused, the stream first", nats.Msg{Data: []byte(`{"stream":"TAPEDECK","seq":0,"error":{"code":503,"err_code":10077}}`)}, full},
		{"empty", nats.Msg{}, errAnswer},
		{"of no stream", nats.Msg{Data: []byte(`{"seq":1}`)}, errAnswer},
		{"cut short", nats.Msg{Data: []byte(`{"seq":1`)}, errAnswer},
	} {
		err := answered(&c.msg)
		var api *jetstream.APIError
		switch {
		case c.want == nil && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == error(full):
			if !errors.As(err, &api) || api.ErrorCode != maximumBytesExceeded {
				t.Errorf("%s: %v", c.name, err)
			}
		case !errors.Is(err, c.want):
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// What was sent too long ago is abandoned, once, and what was not stays.
func TestExpire(t *testing.T) {
	var released int64
	var a answers
	a.init(nil, func(n int64) { released += n }, func() {}, func() {})
	results := map[string]error{}
	settle := func(name string) []func(error) {
		return []func(error){func(err error) {
			if _, twice := results[name]; twice {
				t.Errorf("%s was settled twice", name)
			}
			results[name] = err
		}}
	}
	publishInFlight.Add(2) // which expire and take subtract
	a.inFlight.Add(sent{weight: 1, at: time.Now().Add(-ackTimeout), dones: settle("old")})
	a.inFlight.Add(sent{weight: 10, at: time.Now().Add(time.Hour), dones: settle("fresh")})
	a.expire()
	a.expire()
	if len(results) != 1 || !errors.Is(results["old"], jetstream.ErrAsyncPublishTimeout) || released != 1 {
		t.Fatalf("results %v, released %d", results, released)
	}
	m, ok := a.take(1)
	if !ok {
		t.Fatal("the fresh one does not wait any more")
	}
	a.settle(m, nil)
	if err, ok := results["fresh"]; !ok || err != nil || released != 11 {
		t.Fatalf("results %v, released %d", results, released)
	}
	if _, ok := a.take(1); ok {
		t.Fatal("it waits still")
	}
}

func TestReplies(t *testing.T) {
	const inbox = "_INBOX.x."
	for _, n := range []uint64{0, 35, 36, 1 << 40} {
		if got, ok := numberOf(inbox, replyOf(inbox, n)); !ok || got != n {
			t.Errorf("%d: %d, %v", n, got, ok)
		}
	}
	for _, reply := range []string{inbox, inbox + "-", "short"} {
		if n, ok := numberOf(inbox, reply); ok {
			t.Errorf("%q: %d", reply, n)
		}
	}
}
