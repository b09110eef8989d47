package upload

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema/block"
)

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
		st, f := newStore(), &ingesttest.Results{}
		s := newSite(t, st)
		s.tenant = c.token
		s.start()
		client := dial(t, Options{Server: s.url()})
		if got := client.Tenant(); got != c.token {
			t.Errorf("a client of tenant %q receives %q", c.token, got)
		}
		p := testBlock(1, 10)
		p.Tenant = c.named
		if err := client.Publish(t.Context(), p, f.Of(t, "1")); err != nil {
			t.Fatal(err)
		}
		f.Wait(t)
		err := f.Reported()["1"]
		if c.refused != "" && (!ingest.IsPermanent(err) || !strings.Contains(err.Error(), c.refused)) || c.refused == "" && err != nil {
			t.Errorf("token of %q, block of %q: %v", c.token, c.named, err)
		}
		if got := st.blocks["1"].Tenant; got != c.kept {
			t.Errorf("token of %q, block of %q: kept for %q, want %q", c.token, c.named, got, c.kept)
		}
		closeNow(t, client)
		s.halt()
	}
}

// A block of a later version is refused for now: its recorder keeps it until the server reads that version.
func TestLaterVersion(t *testing.T) {
	p := testBlock(1, 0)
	p.Data = block.Encode(nil, &block.Block{Session: p.Session}, block.S2)
	p.Data[3] = 0xff // the format version
	err := new(request).check(&p)
	if !errors.Is(err, block.ErrVersion) || ingest.IsPermanent(err) {
		t.Fatalf("the outcome is %v", err)
	}
	if answer := busy(err); answer.Status != http.StatusTooManyRequests || !strings.Contains(answer.Detail, "update the servers") {
		t.Errorf("it is answered %+v", answer)
	}
}

func TestBadBlocks(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url()})
	for name, change := range map[string]func(*ingest.EncodedBlock){
		"no session":  func(p *ingest.EncodedBlock) { p.Session = "" },
		"bad session": func(p *ingest.EncodedBlock) { p.Session = "a\nb" },
		"no id":       func(p *ingest.EncodedBlock) { p.ID = "" },
		"no block":    func(p *ingest.EncodedBlock) { p.Data = nil },
		"frames":      func(p *ingest.EncodedBlock) { p.Frames = math.MaxInt32 },
		"a bundle": func(p *ingest.EncodedBlock) {
			p.Data = block.AppendBundle(nil, []block.Entry{{Session: p.Session, Data: p.Data}})
		},
		"a body of 4 GiB": func(p *ingest.EncodedBlock) {
			p.Data = block.Encode(nil, &block.Block{Session: p.Session}, block.S2)
			binary.LittleEndian.PutUint32(p.Data[5:], math.MaxUint32)
		},
	} {
		p := testBlock(1, 10)
		change(&p)
		if err := c.Publish(t.Context(), p, f.Of(t, name)); err != nil {
			t.Fatal(err)
		}
		f.Wait(t)
		if !ingest.IsPermanent(f.Reported()[name]) {
			t.Errorf("%s: %v", name, f.Reported()[name])
		}
	}
	p := testBlock(1, 10)
	p.Session = strings.Repeat("x", maxNames)
	if err := c.Publish(t.Context(), p, func(error) {}); !ingest.IsPermanent(err) {
		t.Errorf("names that are too long: %v", err)
	}
	if st.count() != 0 {
		t.Errorf("%d came through", st.count())
	}
	closeNow(t, c)
}

func TestRequestLimit(t *testing.T) {
	st := newStore()
	st.gate = make(chan struct{})
	s := newSite(t, st)
	s.opts.Requests = 1
	s.start()
	defer s.halt()
	a, f := dial(t, Options{Server: s.url(), Grace: -1}), &ingesttest.Results{}
	publish(t, a, f, 0, 1, 100)
	eventually(t, "it is being served", func() bool {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		return s.server.requests == 1
	})
	_, err := Dial(t.Context(), Options{Server: s.url()})
	if err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "All 1 requests") {
		t.Errorf("the second: %v", err)
	}
	second := dial(t, Options{Server: s.url(), Offline: true})
	close(st.gate)
	f.Durable(t)
	eventually(t, "there is room for the second", func() bool { return second.State().Connected })
	closeNow(t, a)
	closeNow(t, second)
}

// Close of a server: what was taken is settled and the client knows; the rest
// goes to the next server.
func TestServerCloses(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.delay = 30 * time.Millisecond
	s := newSite(t, st)
	s.opts.Alive = 50 * time.Millisecond // a client that has nothing to send hears of the close by a sign of life
	s.start()
	t.Cleanup(s.halt)
	c := dial(t, Options{Server: s.url(), Grace: -1})
	publish(t, c, f, 0, 50, 1000)
	eventually(t, "some came", func() bool { return st.count() > 10 })
	closeNow(t, s.server)
	taken := st.count()
	eventually(t, "the client knows", func() bool { return c.State().Blocks == 50-taken })
	eventually(t, "it heard why", func() bool { return strings.Contains(c.State().LastError, "shutting down") })
	if _, err := Dial(t.Context(), Options{Server: s.url()}); err == nil || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("dial a server that shuts down: %v", err)
	}
	s.halt()
	s.start()
	f.Durable(t)
	wantInOrder(t, st, 50)
	if n := st.count(); n != 50 {
		t.Errorf("%d came, though none needed to come twice", n)
	}

	st.gate = make(chan struct{})
	publish(t, c, &ingesttest.Results{}, 50, 60, 1000)
	eventually(t, "one is stuck", func() bool { return st.waiting.Load() > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.server.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 requests") {
		t.Errorf("close with a stuck publisher: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	c.Close(ctx)
}

// The end of the request's context, by which servers announce that they stop, ends a request
// in good order: blocks that were taken are settled.
func TestRequestContextEnds(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.delay = 100 * time.Millisecond
	base, stop := context.WithCancel(t.Context())
	server := NewServer(ServerOptions{Next: st})
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.Blocks(w, r.WithContext(base), "")
	}))
	defer hs.Close()
	c := dial(t, Options{Server: hs.URL, Grace: -1})
	publish(t, c, f, 0, 10, 100)
	eventually(t, "some came", func() bool { return st.count() > 0 })
	stop()
	publish(t, c, &ingesttest.Results{}, 10, 11, 100)
	eventually(t, "the client knows", func() bool { return strings.Contains(c.State().LastError, "shutting down") })
	taken := st.count()
	eventually(t, "what was taken is settled", func() bool { return c.State().Blocks == 11-taken })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Close(ctx)
}

func TestTLS(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	server := NewServer(ServerOptions{Next: st})
	var token string
	hs := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("Authorization")
		server.Blocks(w, r, "")
	}))
	hs.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log the client that does not trust it
	hs.StartTLS()
	defer hs.Close()
	pool := x509.NewCertPool()
	pool.AddCert(hs.Certificate())
	c := dial(t, Options{Server: hs.URL, Token: "td_x", TLS: &tls.Config{RootCAs: pool}})
	publish(t, c, f, 0, 100, 10_000)
	f.Durable(t)
	wantInOrder(t, st, 100)
	if token != "Bearer td_x" {
		t.Errorf("authorization %q", token)
	}
	closeNow(t, c)
	closeNow(t, server)
	if _, err := Dial(t.Context(), Options{Server: hs.URL}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("dial without trust: %v", err)
	}
}

// A server that has gone silent, without the connection being closed, is asked again.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	st, f := newStore(), &ingesttest.Results{}
	first := make(chan struct{}, 1)
	s := newSite(t, st)
	s.handler = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-first:
		default:
			return false
		}
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return true
	}
	s.start()
	defer s.halt()
	c := dial(t, Options{Server: s.url(), Grace: -1, Timeout: 2 * time.Second})
	first <- struct{}{}
	publish(t, c, f, 0, 10, 100)
	f.Durable(t)
	if got := c.State().LastError; !strings.Contains(got, "timeout awaiting response headers") {
		t.Errorf("the client's last error is %q", got)
	}
	closeNow(t, c)
}

// Invalid answers are no reason to fall over.
func TestAbsurdAnswers(t *testing.T) {
	for _, text := range []string{
		`{"max_block":10,"settled":1000}`, `{"max_block":10,"settled":-1}`, `{"max_block":10,"settled":18446744073709551615}`, `[]`, ``,
		strings.Repeat("x", answerLimit+1),
	} {
		next := make(chan struct{}, 1)
		st, f := newStore(), &ingesttest.Results{}
		s := newSite(t, st)
		s.handler = func(w http.ResponseWriter, r *http.Request) bool {
			select {
			case <-next:
			default:
				return false
			}
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, text)
			return true
		}
		s.start()
		c := dial(t, Options{Server: s.url(), Grace: -1})
		next <- struct{}{}
		publish(t, c, f, 0, 3, 10)
		f.Durable(t)
		if c.State().LastError == "" {
			t.Errorf("%.40s: it was taken for an answer", text)
		}
		closeNow(t, c)
		s.halt()
	}
}

func TestMetrics(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	st.refuse = func(id string) error {
		if id == "2" {
			return ingest.Permanent(errors.New("no"))
		}
		return nil
	}
	s := startSite(t, st)
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(s.server)
	c := dial(t, Options{Server: s.url(), Recorder: "x"})
	publish(t, c, f, 0, 5, 100)
	f.Wait(t)
	metrictest.Gathered(reg).Show(t, "tapedeck_upload_recorders", "tapedeck_upload_blocks_total", "tapedeck_upload_bytes_total", "tapedeck_upload_refused_total")
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		m := family.GetMetric()[0]
		got[family.GetName()] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
	}
	for name, want := range map[string]float64{"recorders": 1, "blocks_total": 4, "bytes_total": 400, "refused_total": 1} {
		if got["tapedeck_upload_"+name] != want {
			t.Errorf("%s is %v, want %v", name, got["tapedeck_upload_"+name], want)
		}
	}
	closeNow(t, c)
}

// With a clock of its own: the grace is kept to the millisecond, and counts
// from when the connection was lost.
func TestGraceOnAVirtualClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := &Client{opts: Options{Server: "x", Grace: 2 * time.Second, Log: slog.New(slog.DiscardHandler)}, changed: make(chan struct{}), wake: make(chan struct{}, 1), up: true}
		settled := make(chan time.Duration, 1)
		time.Sleep(time.Second) // virtual time: the grace begins later
		if err := c.Publish(t.Context(), testBlock(1, 1), func(error) { settled <- time.Since(start) }); err != nil {
			t.Fatal(err)
		}
		c.lost(errors.New("first"))
		time.Sleep(time.Second) // virtual time: a part of the grace
		c.lost(errors.New("second attempt"))
		if at := <-settled; at != 3*time.Second {
			t.Errorf("failed after %v, want 3s", at)
		}
		asked := time.Now()
		if err := c.Publish(t.Context(), testBlock(2, 1), func(error) {}); err == nil || !strings.Contains(err.Error(), "second attempt") || time.Since(asked) > 0 {
			t.Errorf("publish: %v after %v", err, time.Since(asked))
		}
		c.found(&answer{})
		if err := c.Publish(t.Context(), testBlock(2, 1), func(error) {}); err != nil {
			t.Errorf("publish: %v", err)
		}
		c.lost(errors.New("again"))
		time.Sleep(time.Second) // virtual time: a part of the grace
		c.found(&answer{})
		time.Sleep(time.Minute) // virtual time: longer than the grace
		if c.State().Blocks != 1 {
			t.Error("a grace that was ended by a connection still failed its block")
		}
	})
}
