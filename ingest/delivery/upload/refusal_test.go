package upload

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/loopback"
	"tapedeck/internal/problem"
	"tapedeck/internal/speedtest"
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
		{404, "Nothing is served at /v1/blocks.", []string{"404 Not Found: Nothing is served", `is "tapedeck up" of this version running there`}},
		{405, "", []string{"405", `is "tapedeck up" of this version running there`}},
		{415, "This server takes something else.", []string{"415", "same version of tapedeck"}},
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
	url := "http://" + loopback.Free(t)
	_, err := Dial(t.Context(), Options{Server: url})
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

// A server of another kind is not mistaken for one.
func TestDialOtherServers(t *testing.T) {
	for text, want := range map[string]string{
		"hello yourself": "its answer is invalid",
		`{"tenant":""}`:  "does not name the largest block",
		`{"tenant":"","max_block":1000,"settled":1}`: "1 of 0 blocks",
	} {
		s := newSite(t, newStore())
		s.handler = func(w http.ResponseWriter, _ *http.Request) bool {
			io.WriteString(w, text)
			return true
		}
		s.start()
		if _, err := Dial(t.Context(), Options{Server: s.url()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		s.halt()
	}
}

// A client that is known once learns at once when its token is revoked; what
// another server in between answers, while the real one is replaced, is no
// reason to abandon its blocks.
func TestRefusedLater(t *testing.T) {
	t.Parallel()
	for status, final := range map[int]bool{401: true, 403: true, 415: true, 404: false, 500: false, 503: false, 429: false} {
		st, f := newStore(), &ingesttest.Results{}
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
		f.Durable(t)
		refusing.Store(true)
		s.halt()
		publish(t, c, f, 10, 20, 100) // while nobody answers: once it is refused it takes nothing more
		s.start()
		if final {
			f.Wait(t)
			err := f.Reported()["15"]
			if !ingest.IsPermanent(err) {
				t.Errorf("%d: error %v", status, err)
			}
			if err := c.Publish(t.Context(), testBlock(20, 1), func(error) {}); !ingest.IsPermanent(err) {
				t.Errorf("%d: the next block: %v", status, err)
			}
		} else {
			eventually(t, "it was tried", func() bool { return strings.Contains(c.State().LastError, http.StatusText(status)) })
			refusing.Store(false)
			f.Durable(t)
			wantInOrder(t, st, 20)
		}
		closeNow(t, c)
		s.halt()
	}
}

// A request that does not keep to the protocol is answered with a problem, and costs nothing.
func TestBadRequests(t *testing.T) {
	st := newStore()
	s := newSite(t, st)
	s.opts.MaxBlock = 1 << 20
	s.start()
	t.Cleanup(s.halt)
	p := testBlock(1, 100)
	good := appendMessage(nil, &p)
	huge := append(binary.LittleEndian.AppendUint32(nil, 1<<31), 1, 2, 3)
	for name, c := range map[string]struct {
		media, recorder string
		body            []byte
		status, settled int
	}{
		"another media type":     {"application/json", "", []byte("{}"), 415, 0},
		"a long recorder":        {ContentType, strings.Repeat("x", 65), nil, 400, 0},
		"nothing":                {ContentType, "x", nil, 200, 0},
		"one block":              {ContentType, "", good, 200, 1},
		"cut short":              {ContentType, "", good[:len(good)-1], 400, 0},
		"cut in the second head": {ContentType, "", append(slices.Clip(good), 0), 400, 1},
		"a huge length":          {ContentType, "", huge, 413, 0},
		"over the limit":         {ContentType, "", append(binary.LittleEndian.AppendUint32(nil, 2<<20), make([]byte, 2<<20)...), 413, 0},
		"names that end nowhere": {ContentType, "", append(binary.LittleEndian.AppendUint32(nil, 3), 200, 1, 0), 400, 0},
	} {
		status, a := postRaw(t, s, c.media, c.recorder, c.body)
		if status != c.status || a.Settled != c.settled || status != 200 && (a.Status != status || a.Detail == "") {
			t.Errorf("%s: %d %+v, want %d with %d settled", name, status, a, c.status, c.settled)
		}
	}
	if n := st.count(); n != 2 {
		t.Errorf("%d came through, want 2", n)
	}
}

// postRaw makes a request without the client.
func postRaw(t *testing.T, s *site, media, recorder string, body []byte) (int, failure) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url()+Path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	req.Header.Set(RecorderHeader, recorder)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	defer resp.Body.Close()
	var a failure
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Errorf("answer %d: %v", resp.StatusCode, err)
	}
	if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	return resp.StatusCode, a
}

// Each block of a request has its own outcome; while the publisher takes nothing, the request
// is answered 429.
func TestOutcomes(t *testing.T) {
	st := newStore()
	st.refuse = func(id string) error {
		switch id {
		case "1":
			return ingest.Permanent(&ingest.DeletedError{Reason: "the session was deleted"})
		case "2":
			return ingest.Permanent(errors.New("too large"))
		case "4":
			return errors.New("the spool is full")
		}
		return nil
	}
	s := startSite(t, st)
	var body []byte
	for i := range 6 {
		p := testBlock(i, 100)
		body = appendMessage(body, &p)
	}
	status, a := postRaw(t, s, ContentType, "", body)
	want := []refusal{{1, http.StatusGone, "the session was deleted"}, {2, http.StatusUnprocessableEntity, "too large"}}
	if status != http.StatusTooManyRequests || a.Settled != 4 || !slices.Equal(a.Refused, want) || a.Detail != "the spool is full" {
		t.Errorf("%d %+v", status, a)
	}
	if n := st.count(); n != 2 {
		t.Errorf("%d came through, want 2: nothing behind the one that was not taken", n)
	}
	s.halt()
	st.gate = make(chan struct{})
	s.opts.Busy = 50 * time.Millisecond
	s.start()
	if status, a := postRaw(t, s, ContentType, "", body); status != http.StatusTooManyRequests || a.Settled != 0 {
		t.Errorf("with a publisher that waits: %d %+v", status, a)
	}
}

// What a proxy in between does not let pass goes in smaller requests.
func TestProxyWithABodyLimit(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := newSite(t, st)
	s.handler = func(w http.ResponseWriter, r *http.Request) bool {
		if r.ContentLength <= 50_000 {
			return false
		}
		io.Copy(io.Discard, r.Body)
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return true
	}
	s.start()
	defer s.halt()
	c := dial(t, Options{Server: s.url(), Grace: -1})
	publish(t, c, f, 0, 200, 10_000)
	f.Durable(t)
	wantInOrder(t, st, 200)
	large := &ingesttest.Results{}
	publish(t, c, large, 200, 201, 60_000)
	large.Wait(t)
	if err := large.Reported()["200"]; !ingest.IsPermanent(err) {
		t.Errorf("a block over the limit: %v", err)
	}
	closeNow(t, c)
}

// Where the server is away for longer than the grace, blocks fail, so that
// something else can keep them; once it is back, all is well.
func TestGrace(t *testing.T) {
	t.Parallel()
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Grace: 2 * time.Second})
	publish(t, c, f, 0, 10, 100)
	f.Durable(t)
	start := time.Now()
	s.halt()
	publish(t, c, f, 10, 20, 100)
	f.Wait(t)
	took := time.Since(start)
	if took < 2*time.Second {
		t.Errorf("blocks failed after %v", took)
	}
	speedtest.Within(t, "the failure of blocks", took, 20*time.Second)
	for i := 10; i < 20; i++ {
		err := f.Reported()[testBlock(i, 0).ID]
		if err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "is away since") || !strings.Contains(err.Error(), s.url()) {
			t.Errorf("block %d: %v", i, err)
		}
	}
	if err := c.Publish(t.Context(), testBlock(20, 1), func(error) {}); err == nil {
		t.Error("a block was taken while it is away")
	}
	if got := c.State(); got.Connected || got.DownSince.IsZero() || got.LastError == "" {
		t.Errorf("state %+v", got)
	}
	s.start()
	eventually(t, "it is back", func() bool { return c.State().Connected })
	again := &ingesttest.Results{}
	publish(t, c, again, 21, 30, 100)
	again.Durable(t)
	closeNow(t, c)
}

func TestOfflineAtFirst(t *testing.T) {
	st, f := newStore(), &ingesttest.Results{}
	s := startSite(t, st)
	s.halt()
	c := dial(t, Options{Server: s.url(), Offline: true, Grace: -1})
	publish(t, c, f, 0, 10, 100)
	s.start()
	f.Durable(t)
	wantInOrder(t, st, 10)
	closeNow(t, c)
}

// A server that is there and confirms nothing is as good as away.
func TestStall(t *testing.T) {
	t.Parallel()
	st, f := newStore(), &ingesttest.Results{}
	st.gate = make(chan struct{})
	s := startSite(t, st)
	c := dial(t, Options{Server: s.url(), Stall: 2 * time.Second})
	publish(t, c, f, 0, 10, 100)
	f.Wait(t)
	if err := f.Reported()["3"]; err == nil || ingest.IsPermanent(err) || !strings.Contains(err.Error(), "has confirmed nothing for 2s") {
		t.Errorf("error %v", err)
	}
	close(st.gate)
	again := &ingesttest.Results{}
	eventually(t, "it is back", func() bool { return c.State().Connected })
	publish(t, c, again, 10, 20, 100)
	again.Durable(t)
	time.Sleep(3 * time.Second) // longer than Stall, in which an idle upload is not disconnected
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
