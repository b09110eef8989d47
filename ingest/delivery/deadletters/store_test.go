package deadletters_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

func TestMain(m *testing.M) { localtest.Main(m) }

const streamID = "019b7000-0000-7000-8000-000000000001"

// shelf is a dead-letter stream with three letters: nonsense, a block, and one
// that was published where no block belongs.
func shelf(t *testing.T) (*deadletters.Store, njs.JetStream) {
	nc := localtest.NATS(t)
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(t.Context(), js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	good := block.Encode(nil, &block.Block{
		Session: "s", State: schema.StreamState{StreamID: streamID},
		Frames: []schema.Frame{{Seq: 7, Raw: []byte("x")}, {Seq: 8, Raw: []byte("y")}},
	}, block.S2)
	for _, l := range []struct {
		data            []byte
		reason, subject string
	}{
		{[]byte("nonsense"), "no block", ingest.Subject("default", "s")},
		{good, "refused", ingest.Subject("acme", "s")},
		{good, "refused", "elsewhere"},
	} {
		m := &nats.Msg{Subject: jetstream.DeadSubject, Data: l.data, Header: nats.Header{
			jetstream.HeaderReason: {l.reason}, jetstream.HeaderSubject: {l.subject},
		}}
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	s, err := deadletters.Open(nc)
	if err != nil {
		t.Fatal(err)
	}
	return s, js
}

func TestList(t *testing.T) {
	s, _ := shelf(t)
	letters, err := s.List(t.Context(), 0, 10)
	if err != nil || len(letters) != 3 {
		t.Fatalf("%+v, %v", letters, err)
	}
	if l := letters[0]; l.Seq != 1 || l.Reason != "no block" || l.Tenant != "default" || l.StreamID != "" || l.Bytes != 8 || l.At.IsZero() {
		t.Errorf("nonsense: %+v", l)
	}
	if l := letters[1]; l.Tenant != "acme" || l.Session != "s" || l.StreamID != streamID || l.FirstSeq != 7 || l.Frames != 2 {
		t.Errorf("a block: %+v", l)
	}
	if rest, err := s.List(t.Context(), 1, 1); err != nil || len(rest) != 1 || rest[0].Seq != 2 {
		t.Errorf("a page: %+v, %v", rest, err)
	}
	if n, _, err := s.Count(t.Context()); err != nil || n != 3 {
		t.Errorf("%d letters, %v", n, err)
	}
}

func TestRetry(t *testing.T) {
	s, js := shelf(t)
	if n, err := s.Retry(t.Context(), 2); err != nil || n != 1 {
		t.Fatalf("%d, %v", n, err)
	}
	blocks, err := js.Stream(t.Context(), jetstream.StreamName)
	if err != nil {
		t.Fatal(err)
	}
	m, err := blocks.GetMsg(t.Context(), 1)
	if err != nil || m.Subject != ingest.Subject("acme", "s") {
		t.Fatalf("%+v, %v", m, err)
	}
	if b, err := block.Decode(m.Data); err != nil || len(b.Frames) != 2 {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := s.Retry(t.Context(), 2); !errors.Is(err, deadletters.ErrNone) {
		t.Errorf("once more: %v", err)
	}
	// All of them: what belongs nowhere stays, and says so.
	n, err := s.Retry(t.Context())
	if n != 1 || err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("all: %d, %v", n, err)
	}
	left, err := s.List(t.Context(), 0, 10)
	if err != nil || len(left) != 1 || left[0].Seq != 3 {
		t.Errorf("left: %+v, %v", left, err)
	}
	if n, err := s.Drop(t.Context(), 3); n != 1 || err != nil {
		t.Errorf("drop: %d, %v", n, err)
	}
	if n, _, err := s.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("%d letters, %v", n, err)
	}
}

func TestRoutes(t *testing.T) {
	s, _ := shelf(t)
	for _, test := range []struct {
		handler http.HandlerFunc
		query   string
		status  int
		want    string
	}{
		{s.ServeList, "?limit=2", 200, `"next":"2"`},
		{s.ServeList, "?cursor=2", 200, `"next":null`},
		{s.ServeList, "?limit=0", 400, `"parameter":"limit"`},
		{s.ServeList, "?cursor=x", 400, `"parameter":"cursor"`},
		{s.ServeRetry, "?seq=x", 400, `"parameter":"seq"`},
		{s.ServeRetry, "?seq=99", 404, "dead letter 99"},
		{s.ServeRetry, "?seq=1&seq=2", 200, `{"retried":2}`},
		{s.ServeDrop, "", 400, `"parameter":"seq"`},
		{s.ServeDrop, "?seq=3", 200, `{"dropped":1}`},
		{s.ServeList, "", 200, `{"items":[],"next":null}`},
	} {
		w := httptest.NewRecorder()
		test.handler(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/"+test.query, nil))
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.query, w.Code, w.Body, test.status, test.want)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: not JSON: %s", test.query, w.Body)
		}
	}
}
