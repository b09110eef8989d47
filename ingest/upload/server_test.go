package upload

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
)

func acceptAs(t *testing.T, w http.ResponseWriter, r *http.Request, protocol string) *websocket.Conn {
	t.Helper()
	r.Header.Set("Sec-WebSocket-Protocol", protocol)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}})
	if err != nil {
		t.Error(err)
	}
	return conn
}

func TestTenants(t *testing.T) {
	for _, c := range []struct {
		token, named, kept, refused string
	}{
		{"", "", "default", ""},
		{"", "acme", "acme", ""},
		{"acme", "acme", "acme", ""},
		{"acme", "", "acme", ""},
		{"acme", "default", "acme", ""},
		{"acme", "other", "", `the token belongs to tenant "acme", the block to "other"`},
		{"default", "acme", "", `the token belongs to tenant "default"`},
		{"", "a.b", "", `tenant "a.b"`},
	} {
		st, f := newStore(), newFates(t)
		s := newSite(t, st)
		s.tenant = c.token
		s.start()
		client := dial(t, Options{Server: s.url()})
		if got := client.Tenant(); got != c.token {
			t.Errorf("a client of tenant %q is told %q", c.token, got)
		}
		p := parcel(1, 10)
		p.Tenant = c.named
		if err := client.Publish(t.Context(), p, f.of("1")); err != nil {
			t.Fatal(err)
		}
		bounded.Wait(t, f.open.Wait)
		err := f.told["1"]
		if c.refused != "" && (!ingest.IsPermanent(err) || !strings.Contains(err.Error(), c.refused)) || c.refused == "" && err != nil {
			t.Errorf("token of %q, parcel of %q: %v", c.token, c.named, err)
		}
		if got := st.parcels["1"].Tenant; got != c.kept {
			t.Errorf("token of %q, parcel of %q: kept for %q, want %q", c.token, c.named, got, c.kept)
		}
		closeNow(t, client)
		s.halt()
	}
}

func TestBadParcels(t *testing.T) {
	st, f := newStore(), newFates(t)
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url()})
	for name, change := range map[string]func(*ingest.EncodedBlock){
		"no session":  func(p *ingest.EncodedBlock) { p.Session = "" },
		"bad session": func(p *ingest.EncodedBlock) { p.Session = "a\nb" },
		"no id":       func(p *ingest.EncodedBlock) { p.ID = "" },
		"no block":    func(p *ingest.EncodedBlock) { p.Data = nil },
	} {
		p := parcel(1, 10)
		change(&p)
		if err := c.Publish(t.Context(), p, f.of(name)); err != nil {
			t.Fatal(err)
		}
		bounded.Wait(t, f.open.Wait)
		if !ingest.IsPermanent(f.told[name]) {
			t.Errorf("%s: %v", name, f.told[name])
		}
	}
	p := parcel(1, 10)
	p.Session = strings.Repeat("x", maxNames)
	if err := c.Publish(t.Context(), p, func(error) {}); !ingest.IsPermanent(err) {
		t.Errorf("names that are too long: %v", err)
	}
	if st.count() != 0 {
		t.Errorf("%d came through", st.count())
	}
	closeNow(t, c)
}

// rawDial opens a link without the client, past its hello.
func rawDial(t *testing.T, s *site) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), s.url()+Path, &websocket.DialOptions{Subprotocols: []string{Protocol}})
	if err != nil {
		t.Fatal(err)
	}
	if _, text, err := conn.Read(t.Context()); err != nil || !strings.HasPrefix(string(text), `{"hello":`) {
		t.Fatalf("%s %v", text, err)
	}
	return conn
}

// Who does not keep to the protocol is told so and cut off, and costs nothing.
func TestViolations(t *testing.T) {
	st := newStore()
	s := newSite(t, st)
	s.opts.MaxBlock = 1 << 20
	s.start()
	defer s.halt()
	p := parcel(1, 100)
	good := appendMessage(nil, &p)
	huge := append(binary.LittleEndian.AppendUint32(nil, 1<<31), 1, 2, 3)
	for name, c := range map[string]struct {
		kind    websocket.MessageType
		message []byte
		want    websocket.StatusCode
	}{
		"text":           {websocket.MessageText, []byte("{}"), websocket.StatusUnsupportedData},
		"empty":          {websocket.MessageBinary, nil, websocket.StatusInvalidFramePayloadData},
		"cut short":      {websocket.MessageBinary, good[:len(good)-1], websocket.StatusInvalidFramePayloadData},
		"too long":       {websocket.MessageBinary, append(good, 0), websocket.StatusInvalidFramePayloadData},
		"a huge length":  {websocket.MessageBinary, huge, websocket.StatusMessageTooBig},
		"over the limit": {websocket.MessageBinary, append(binary.LittleEndian.AppendUint32(nil, 2<<20), make([]byte, 2<<20)...), websocket.StatusMessageTooBig},
		"names that end nowhere": {websocket.MessageBinary, append(binary.LittleEndian.AppendUint32(nil, 3), 200, 1, 0),
			websocket.StatusInvalidFramePayloadData},
	} {
		conn := rawDial(t, s)
		conn.Write(t.Context(), c.kind, c.message)
		_, _, err := conn.Read(t.Context())
		if got := websocket.CloseStatus(err); got != c.want {
			t.Errorf("%s: closed with %d, want %d (%v)", name, got, c.want, err)
		}
		conn.CloseNow()
	}
	if st.count() != 0 {
		t.Errorf("%d came through", st.count())
	}
}

func TestConnectionLimit(t *testing.T) {
	s := newSite(t, newStore())
	s.opts.Connections = 2
	s.start()
	defer s.halt()
	a, b := dial(t, Options{Server: s.url()}), dial(t, Options{Server: s.url()})
	_, err := Dial(t.Context(), Options{Server: s.url()})
	if err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "All 2 connections") {
		t.Errorf("the third: %v", err)
	}
	third := dial(t, Options{Server: s.url(), Offline: true})
	closeNow(t, a)
	eventually(t, "there is room for the third", func() bool { return third.State().Connected })
	closeNow(t, b)
	closeNow(t, third)
}

// Close of a server: what was taken is settled and the client knows; the rest
// goes to the next server.
func TestServerCloses(t *testing.T) {
	st, f := newStore(), newFates(t)
	st.delay = 30 * time.Millisecond
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Grace: -1})
	publish(t, c, f, 0, 50, 1000)
	eventually(t, "some came", func() bool { return st.count() > 10 })
	closeNow(t, s.link)
	taken := st.count()
	eventually(t, "the client knows", func() bool { return c.State().Parcels == 50-taken })
	eventually(t, "it heard why", func() bool { return strings.Contains(c.State().LastError, "shutting down") })
	if _, err := Dial(t.Context(), Options{Server: s.url()}); err == nil || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("dial a server that shuts down: %v", err)
	}
	s.halt()
	s.start()
	f.allDurable()
	wantInOrder(t, st, 50)
	if n := st.count(); n != 50 {
		t.Errorf("%d came, though none needed to come twice", n)
	}

	st.gate = make(chan struct{})
	publish(t, c, newFates(t), 50, 60, 1000)
	eventually(t, "one is stuck", func() bool {
		s.link.mu.Lock()
		defer s.link.mu.Unlock()
		for client := range s.link.clients {
			return client.ledger.take().open
		}
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.link.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 recorders") {
		t.Errorf("close with a stuck publisher: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	c.Close(ctx)
}

// The end of the request's context, by which servers announce that they stop,
// ends the link in good order.
func TestRequestContextEnds(t *testing.T) {
	st, f := newStore(), newFates(t)
	base, stop := context.WithCancel(t.Context())
	link := NewServer(ServerOptions{Next: st})
	served := make(chan struct{})
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		link.Blocks(w, r.WithContext(base), "")
	}))
	defer hs.Close()
	c := dial(t, Options{Server: hs.URL, Grace: -1})
	publish(t, c, f, 0, 10, 100)
	f.allDurable()
	stop()
	bounded.Receive(t, served)
	eventually(t, "the client knows", func() bool { return strings.Contains(c.State().LastError, "shutting down") })
	closeNow(t, c)
}

func TestTLS(t *testing.T) {
	st, f := newStore(), newFates(t)
	link := NewServer(ServerOptions{Next: st})
	var token string
	hs := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("Authorization")
		link.Blocks(w, r, "")
	}))
	hs.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of the client that does not trust it
	hs.StartTLS()
	defer hs.Close()
	pool := x509.NewCertPool()
	pool.AddCert(hs.Certificate())
	c := dial(t, Options{Server: hs.URL, Token: "td_x", TLS: &tls.Config{RootCAs: pool}})
	publish(t, c, f, 0, 100, 10_000)
	f.allDurable()
	wantInOrder(t, st, 100)
	if token != "Bearer td_x" {
		t.Errorf("authorization %q", token)
	}
	closeNow(t, c)
	closeNow(t, link)
	if _, err := Dial(t.Context(), Options{Server: hs.URL}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("dial without trust: %v", err)
	}
}

// A server that has gone silent, without the connection being closed, is left.
func TestSilentServer(t *testing.T) {
	st, f := newStore(), newFates(t)
	first := make(chan struct{}, 1)
	first <- struct{}{}
	s := newSite(t, st)
	s.handler = func(w http.ResponseWriter, r *http.Request) bool {
		select {
		case <-first:
		default:
			return false
		}
		conn := acceptAs(t, w, r, Protocol)
		defer conn.CloseNow()
		conn.Write(r.Context(), websocket.MessageText, []byte(`{"hello":{"tenant":"","max_block":1000,"alive_ms":20}}`))
		for { // hears everything, says nothing
			if _, _, err := conn.Read(context.Background()); err != nil {
				return true
			}
		}
	}
	s.start()
	defer s.halt()
	c := dial(t, Options{Server: s.url(), Grace: -1})
	publish(t, c, f, 0, 10, 100)
	f.allDurable()
	if got := c.State().LastError; !strings.Contains(got, "no sign of life") {
		t.Errorf("the client heard %q", got)
	}
	closeNow(t, c)
}

// An idle link stays, by its signs of life.
func TestIdleLinkStays(t *testing.T) {
	s := newSite(t, newStore())
	s.opts.Alive = 400 * time.Millisecond // a busy machine may hold one up for a while
	s.start()
	defer s.halt()
	c := dial(t, Options{Server: s.url()})
	time.Sleep((missedSigns + 1) * s.opts.Alive)
	if got := c.State(); !got.Connected || got.LastError != "" {
		t.Errorf("state %+v", got)
	}
	closeNow(t, c)
}

// Answers that cannot be are no reason to fall over.
func TestAbsurdAnswers(t *testing.T) {
	for _, text := range []string{
		`{"ack":0}`, `{"ack":18446744073709551615}`, `{"refused":{"number":3,"permanent":true}}`, `{"ack":-1}`, `[]`, strings.Repeat("x", answerLimit+1),
	} {
		said := make(chan struct{}, 1)
		said <- struct{}{}
		st, f := newStore(), newFates(t)
		s := newSite(t, st)
		s.handler = func(w http.ResponseWriter, r *http.Request) bool {
			select {
			case <-said:
			default:
				return false
			}
			conn := acceptAs(t, w, r, Protocol)
			defer conn.CloseNow()
			conn.Write(r.Context(), websocket.MessageText, []byte(`{"hello":{"tenant":"","max_block":1000,"alive_ms":1000}}`))
			conn.Write(r.Context(), websocket.MessageText, []byte(text))
			conn.Read(context.Background())
			return true
		}
		s.start()
		c := dial(t, Options{Server: s.url(), Grace: -1})
		eventually(t, "the client leaves", func() bool { return c.State().LastError != "" })
		publish(t, c, f, 0, 3, 10)
		f.allDurable()
		closeNow(t, c)
		s.halt()
	}
}

func TestLinkMetrics(t *testing.T) {
	st, f := newStore(), newFates(t)
	st.refuse = func(id string) error {
		if id == "2" {
			return ingest.Permanent(errors.New("no"))
		}
		return nil
	}
	s := startSite(t, st)
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(s.link)
	c := dial(t, Options{Server: s.url()})
	publish(t, c, f, 0, 5, 100)
	bounded.Wait(t, f.open.Wait)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		m := family.GetMetric()[0]
		got[family.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	for name, want := range map[string]float64{"connections": 1, "parcels_total": 4, "bytes_total": 400, "refused_total": 1} {
		if got["tapedeck_link_"+name] != want {
			t.Errorf("%s is %v, want %v", name, got["tapedeck_link_"+name], want)
		}
	}
	closeNow(t, c)
}

// With a clock of its own: the grace is kept to the millisecond, and counts
// from when the connection was lost.
func TestGraceOnAVirtualClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := &Client{opts: Options{Server: "x", Grace: 2 * time.Second}, changed: make(chan struct{}), work: make(chan struct{}, 1), up: true}
		told := make(chan time.Duration, 1)
		time.Sleep(time.Second)
		if err := c.Publish(t.Context(), parcel(1, 1), func(error) { told <- time.Since(start) }); err != nil {
			t.Fatal(err)
		}
		c.lost(errors.New("first"))
		time.Sleep(time.Second)
		c.lost(errors.New("second attempt"))
		if at := <-told; at != 3*time.Second {
			t.Errorf("failed after %v, want 3s", at)
		}
		asked := time.Now()
		if err := c.Publish(t.Context(), parcel(2, 1), func(error) {}); err == nil || !strings.Contains(err.Error(), "second attempt") || time.Since(asked) > 0 {
			t.Errorf("publish: %v after %v", err, time.Since(asked))
		}
		c.found(&connection{})
		if err := c.Publish(t.Context(), parcel(2, 1), func(error) {}); err != nil {
			t.Errorf("publish: %v", err)
		}
		c.lost(errors.New("again"))
		time.Sleep(time.Second)
		c.found(&connection{})
		time.Sleep(time.Minute)
		if c.State().Parcels != 1 {
			t.Error("a grace that was ended by a connection still failed its parcel")
		}
	})
}
