package audit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
)

// stored returns the entries that JetStream has.
func stored(t *testing.T, nc *nats.Conn) []Entry {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), StreamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []Entry
	for after := uint64(0); ; {
		m, err := s.GetMsg(t.Context(), after+1, jetstream.WithGetMsgSubject(Subject))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return all
		}
		var batch []Entry
		if err != nil || json.Unmarshal(m.Data, &batch) != nil {
			t.Fatalf("message %d: %v", after+1, err)
		}
		all, after = append(all, batch...), m.Sequence
	}
}

func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// An entry that is recorded is in JetStream; one that is noted is when the log is closed.
func TestLog(t *testing.T) {
	nc := localtest.NATS(t)
	l := open(t, Options{NATS: nc})
	e := Of("acme", Principal{Kind: "token", ID: "a", Name: "ci"}, TokenRevoke, "b", Done)
	if err := l.Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	got := stored(t, nc)
	if len(got) != 1 || got[0].Object != "b" || got[0].Kind != "token" || got[0].Principal.Name != "ci" || got[0].ID == "" || time.Since(got[0].At) > time.Minute {
		t.Fatalf("%+v", got)
	}
	for range 3 * batchEntries {
		if err := l.Note(Of("acme", ServerItself, FramesRead, "s", Done)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close(t.Context())
	if n := len(stored(t, nc)); n != 3*batchEntries+1 {
		t.Errorf("%d entries", n)
	}
	if err := l.Note(e); !errors.Is(err, ErrFull) {
		t.Errorf("after the end: %v", err)
	}
}

// Without NATS nothing is recorded, a bounded number of entries waits, and refusals leave
// room for others.
func TestNATSAway(t *testing.T) {
	metrictest.Grow(t, "tapedeck_audit_lost_total")
	server := localtest.Broker(t, broker.Options{})
	nc, err := server.Connect(nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	l := open(t, Options{NATS: nc, Queue: 10})
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "NATS is away", func() bool { return !nc.IsConnected() })
	if err := l.Record(t.Context(), Of("acme", ServerItself, SessionDelete, "s", Begun)); err == nil {
		t.Error("recorded without NATS")
	}
	for range 20 {
		l.Refused(Of("acme", ServerItself, Access, "x", Refused))
	}
	if l.Full() {
		t.Error("refusals leave no room")
	}
	taken := 0
	for l.Note(Of("acme", ServerItself, FramesRead, "s", Done)) == nil {
		taken++
	}
	if taken < 5 || taken > 10+batchEntries || !l.Full() { // those of a batch that waits are not in the queue
		t.Errorf("%d entries wait beside refusals", taken)
	}
	metrictest.Show(t, "tapedeck_audit_queue_entries")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	l.Close(ctx)
}

// What a client chose is bounded and valid text.
func TestBounds(t *testing.T) {
	e := Of("a\xff", ServerItself, SessionDelete, strings.Repeat("é", 1000), Done)
	e.complete(time.Now())
	if e.Tenant != "a\uFFFD" || len(e.Object) > textLimit || !strings.HasSuffix(e.Object, "é…") {
		t.Errorf("%q %q", e.Tenant, e.Object)
	}
	var none *Log
	if none.Record(t.Context(), e) != nil || none.Note(e) != nil || none.Full() {
		t.Error("a log that is nil refuses entries")
	}
	none.Refused(e)
	none.Close(t.Context())
}

// Every status has one outcome.
func TestOutcomes(t *testing.T) {
	for status, want := range map[int]Outcome{101: Done, 200: Done, 304: Done, 400: Invalid, 401: Refused, 403: Refused, 404: Invalid, 429: Invalid, 499: Aborted, 500: Failed, 503: Failed} {
		if got := OutcomeOf(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}
