package upload

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/problem"
)

// answering makes a site that answers each handshake with a problem.
func answering(t *testing.T, p *problem.Problem) *site {
	s := newSite(t, newStore())
	s.handler = func(w http.ResponseWriter, _ *http.Request) bool {
		problem.Write(w, p)
		return true
	}
	s.start()
	t.Cleanup(s.halt)
	return s
}

// What nobody can mend by waiting is said at once, with what to do.
func TestDialFailsForGood(t *testing.T) {
	for _, c := range []struct {
		status int
		detail string
		want   []string
	}{
		{401, "The token is not known.", []string{"401 Unauthorized: The token is not known", "TAPEDECK_TOKEN or --token"}},
		{403, "", []string{"403 Forbidden", "TAPEDECK_TOKEN"}},
		{404, "Nothing is served at /v1/blocks.", []string{"404 Not Found: Nothing is served", `is "tapedeck up" running there`}},
		{405, "", []string{"405", `is "tapedeck up" running there`}},
		{426, "This server speaks something.", []string{"426", "same version of tapedeck"}},
	} {
		s := answering(t, &problem.Problem{Status: c.status, Detail: c.detail})
		_, err := Dial(t.Context(), Options{Server: s.url(), Offline: true, Log: testLog(t)})
		refused, ok := errors.AsType[*RefusedError](err)
		if !ok || !ingest.IsPermanent(err) || !refused.RefusesAll() || refused.Status != c.status {
			t.Errorf("%d: %#v", c.status, err)
			continue
		}
		for _, part := range append(c.want, s.url()) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%d: the error does not say %q: %v", c.status, part, err)
			}
		}
	}
}

func TestDialWithoutServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	_, err = Dial(t.Context(), Options{Server: url})
	if err == nil || ingest.IsPermanent(err) {
		t.Fatalf("dial: %v", err)
	}
	for _, part := range []string{url, "connection refused", `is "tapedeck up" running?`, "--server", "TAPEDECK_SERVER"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	busy := answering(t, &problem.Problem{Status: 503, Detail: "All connections are in use."})
	if _, err = Dial(t.Context(), Options{Server: busy.url()}); err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "503 Service Unavailable: All connections are in use") {
		t.Errorf("dial a busy server: %v", err)
	}
	for _, bad := range []string{"", "127.0.0.1:4600", "ftp://host", "http://", "http://a b"} {
		if _, err := Dial(t.Context(), Options{Server: bad}); err == nil || !strings.Contains(err.Error(), "must be a URL like") {
			t.Errorf("server %q: %v", bad, err)
		}
	}
}

// A server of another kind, or of a version to come, is not mistaken for one.
func TestDialOtherServers(t *testing.T) {
	for name, handler := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"another subprotocol": func(w http.ResponseWriter, r *http.Request) bool {
			acceptAs(t, w, r, "tapedeck.blocks.v9").CloseNow()
			return true
		},
		"no subprotocol": func(w http.ResponseWriter, r *http.Request) bool {
			acceptAs(t, w, r, "").CloseNow()
			return true
		},
	} {
		s := newSite(t, newStore())
		s.handler = handler
		s.start()
		_, err := Dial(t.Context(), Options{Server: s.url()})
		if !ingest.IsPermanent(err) || !strings.Contains(err.Error(), "does not speak "+Protocol) {
			t.Errorf("%s: %v", name, err)
		}
		s.halt()
	}
	s := newSite(t, newStore())
	s.handler = func(w http.ResponseWriter, r *http.Request) bool {
		conn := acceptAs(t, w, r, Protocol)
		defer conn.CloseNow()
		conn.Write(r.Context(), 1, []byte("hello yourself"))
		conn.Read(r.Context())
		return true
	}
	s.start()
	defer s.halt()
	if _, err := Dial(t.Context(), Options{Server: s.url()}); err == nil || !strings.Contains(err.Error(), "cannot be understood") {
		t.Errorf("a server that does not begin with a hello: %v", err)
	}
}

// A client that is known once is told at once when its token is revoked; what
// another server on the way answers, while the real one is replaced, is no
// reason to give up.
func TestRefusedLater(t *testing.T) {
	for status, final := range map[int]bool{401: true, 403: true, 426: true, 404: false, 500: false, 503: false, 429: false} {
		st, f := newStore(), newFates(t)
		var refusing atomic.Bool
		s := newSite(t, st)
		s.handler = func(w http.ResponseWriter, _ *http.Request) bool {
			if refusing.Load() {
				problem.Write(w, &problem.Problem{Status: status})
			}
			return refusing.Load()
		}
		s.start()
		c := dial(t, Options{Server: s.url(), Grace: -1})
		publish(t, c, f, 0, 10, 100)
		f.allDurable()
		refusing.Store(true)
		s.halt()
		s.start()
		publish(t, c, f, 10, 20, 100)
		if final {
			bounded.Wait(t, f.open.Wait)
			err := f.told["15"]
			if !ingest.IsPermanent(err) {
				t.Errorf("%d: told %v", status, err)
			}
			if err := c.Publish(t.Context(), parcel(20, 1), func(error) {}); !ingest.IsPermanent(err) {
				t.Errorf("%d: the next parcel: %v", status, err)
			}
		} else {
			eventually(t, "it was tried", func() bool { return strings.Contains(c.State().LastError, http.StatusText(status)) })
			refusing.Store(false)
			f.allDurable()
			wantInOrder(t, st, 20)
		}
		closeNow(t, c)
		s.halt()
	}
}

// On the server's side: what is not a link is told what this is.
func TestPlainRequests(t *testing.T) {
	s := startSite(t, newStore())
	for name, header := range map[string]http.Header{
		"no upgrade": {},
		"other":      {"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Protocol": {"chat, tapedeck.blocks.v0"}},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url()+Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = header
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		var p problem.Problem
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err := json.Unmarshal(text, &p); err != nil || p.Status != http.StatusUpgradeRequired || p.Detail == "" || p.Hint == "" {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// Where the server is away for longer than the grace, parcels fail, so that
// something else can keep them; once it is back, all is well.
func TestGrace(t *testing.T) {
	st, f := newStore(), newFates(t)
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Grace: 300 * time.Millisecond})
	publish(t, c, f, 0, 10, 100)
	f.allDurable()
	start := time.Now()
	s.halt()
	publish(t, c, f, 10, 20, 100)
	bounded.Wait(t, f.open.Wait)
	if took := time.Since(start); took < 300*time.Millisecond || took > 20*time.Second {
		t.Errorf("parcels failed after %v", took)
	}
	for i := 10; i < 20; i++ {
		err := f.told[parcel(i, 0).ID]
		if err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "is away since") || !strings.Contains(err.Error(), s.url()) {
			t.Errorf("parcel %d: %v", i, err)
		}
	}
	if err := c.Publish(t.Context(), parcel(20, 1), func(error) {}); err == nil {
		t.Error("a parcel was taken while it is away")
	}
	if got := c.State(); got.Connected || got.DownSince.IsZero() || got.LastError == "" {
		t.Errorf("state %+v", got)
	}
	s.start()
	eventually(t, "it is back", func() bool { return c.State().Connected })
	again := newFates(t)
	publish(t, c, again, 21, 30, 100)
	again.allDurable()
	closeNow(t, c)
}

func TestOfflineAtFirst(t *testing.T) {
	st, f := newStore(), newFates(t)
	s := startSite(t, st)
	s.halt()
	c := dial(t, Options{Server: s.url(), Offline: true, Grace: -1})
	publish(t, c, f, 0, 10, 100)
	s.start()
	f.allDurable()
	wantInOrder(t, st, 10)
	closeNow(t, c)
}

// A server that is there and confirms nothing is as good as away.
func TestStall(t *testing.T) {
	st, f := newStore(), newFates(t)
	st.gate = make(chan struct{})
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Stall: 200 * time.Millisecond})
	publish(t, c, f, 0, 10, 100)
	bounded.Wait(t, f.open.Wait)
	if err := f.told["3"]; err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "has confirmed nothing for 200ms") {
		t.Errorf("told %v", err)
	}
	close(st.gate)
	again := newFates(t)
	eventually(t, "it is back", func() bool { return c.State().Connected })
	publish(t, c, again, 10, 20, 100)
	again.allDurable()
	time.Sleep(300 * time.Millisecond) // an idle link does not stall
	if got := c.State(); !got.Connected {
		t.Errorf("state %+v", got)
	}
	closeNow(t, c)
}

func TestDialHonoursItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, Options{Server: "http://" + l.Addr().String()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial: %v", err)
	}
}
