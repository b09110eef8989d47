package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Events arrive one by one, as they were sent, and are recorded with the times
// at which they passed.
func TestEventGaps(t *testing.T) {
	const gap = 100 * time.Millisecond
	for _, encoding := range []string{"", "gzip", "zstd", "br"} {
		t.Run("encoding "+encoding, func(t *testing.T) {
			headCame, came := make(chan struct{}), make(chan struct{}, 5)
			var sent, got [5]time.Time // an event, before it was written and after it was read
			s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				out := compressor(w, encoding)
				rc := http.NewResponseController(w)
				rc.Flush()
				select { // the head comes before the first event
				case <-headCame:
				case <-r.Context().Done():
				}
				for i := range 5 {
					time.Sleep(gap) // the gap between two events, which the test measures
					sent[i] = time.Now()
					fmt.Fprintf(out, "id: %d\ndata: {\"n\":%d}\n\n", i, i)
					flush(out)
					rc.Flush()
					select { // the next only when this one has passed
					case <-came:
					case <-r.Context().Done():
					}
				}
				out.Close()
			}), nil)
			ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
			defer cancel()
			res, err := s.client.Do(s.request(t, "GET", "/events", "").WithContext(ctx))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			close(headCame)
			in := bufio.NewReader(decompressor(res.Body, encoding))
			for i := range 5 {
				for range 3 {
					if _, err := in.ReadString('\n'); err != nil {
						t.Fatal(err)
					}
				}
				got[i] = time.Now()
				came <- struct{}{}
			}
			if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
				t.Errorf("after the events came %q, %v", rest, err)
			}
			r := s.one(t)
			events := r.messages(schema.Receive)
			if len(events) != 5 {
				t.Fatalf("%d events were recorded", len(events))
			}
			for i, f := range events {
				if want := fmt.Sprintf("id: %d\ndata: {\"n\":%d}\n\n", i, i); string(f.Raw) != want || f.Transport != schema.SSE || f.Flags.Has(schema.FlagJoined) {
					t.Errorf("event %d is %q, %v, %v", i, f.Raw, f.Transport, f.Flags)
				}
				after := time.Duration(f.At - events[0].At)
				if least, most := sent[i].Sub(got[0]), got[i].Sub(sent[0]); after < least || after > most {
					t.Errorf("event %d was recorded %v after the first, it passed between %v and %v after it", i, after, least, most)
				}
			}
			if head := r.notes(schema.Receive)[0]; strings.Contains(head, "\r\nTapedeck-Decoded: "+encoding+"\r\n\r\n") != (encoding != "") {
				t.Errorf("head %q", head)
			}
			if r.state.EndReason != "eof" {
				t.Errorf("ended %q", r.state.EndReason)
			}
		})
	}
}

func compressor(w io.Writer, encoding string) io.WriteCloser {
	if w, ok := w.(http.ResponseWriter); ok && encoding != "" {
		w.Header().Set("Content-Encoding", encoding)
	}
	switch encoding {
	case "gzip":
		return gzip.NewWriter(w)
	case "zstd":
		z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		return z
	case "br":
		return brotli.NewWriter(w)
	}
	return plain{w}
}

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

func flush(w io.Writer) {
	if f, ok := w.(interface{ Flush() error }); ok {
		f.Flush()
	}
}

func decompressor(r io.Reader, encoding string) io.Reader {
	switch encoding {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			panic(err)
		}
		return z
	case "zstd":
		z, _ := zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		return z
	case "br":
		return brotli.NewReader(r)
	}
	return r
}

// Both directions at once: each line is answered before the next one is sent.
func TestDuplexNDJSON(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		rc := http.NewResponseController(w)
		rc.EnableFullDuplex()
		rc.Flush()
		in := bufio.NewScanner(r.Body)
		for in.Scan() {
			fmt.Fprintf(w, "{\"echo\":%s}\n", in.Text())
			rc.Flush()
		}
	}), nil)
	body, lines := io.Pipe()
	req := s.request(t, "POST", "/talk", "")
	req.Body, req.ContentLength = body, -1
	req.Header.Set("Content-Type", "application/jsonl")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	for i := range 10 {
		fmt.Fprintf(lines, "{\"n\":%d}\n", i)
		if got, err := in.ReadString('\n'); err != nil || got != fmt.Sprintf("{\"echo\":{\"n\":%d}}\n", i) {
			t.Fatalf("line %d: %q, %v", i, got, err)
		}
	}
	lines.Close()
	if rest, err := io.ReadAll(in); err != nil || len(rest) > 0 {
		t.Fatalf("%q %v", rest, err)
	}
	r := s.one(t)
	var got []string
	for _, f := range r.frames {
		if !isNote(f) {
			got = append(got, f.Direction.String()+" "+f.Transport.String()+" "+strings.TrimSpace(string(f.Raw)))
		}
	}
	for i := range 10 {
		if want := fmt.Sprintf("send ndjson {\"n\":%d}", i); got[2*i] != want {
			t.Errorf("frame %d is %q, want %q", 2*i, got[2*i], want)
		}
		if want := fmt.Sprintf("receive ndjson {\"echo\":{\"n\":%d}}", i); got[2*i+1] != want {
			t.Errorf("frame %d is %q, want %q", 2*i+1, got[2*i+1], want)
		}
	}
}

// JSON is one frame, with the reads it came in; over the limit it is pieces.
func TestJSONBodies(t *testing.T) {
	parts, came := []string{`[{"a":1}`, "\n,", `{"b":2}]`}, make(chan struct{}, 3)
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
		rc := http.NewResponseController(w)
		for _, part := range parts {
			io.WriteString(w, part)
			rc.Flush()
			select { // the next only when this one has passed
			case <-came:
			case <-r.Context().Done():
			}
		}
	}), func(o *Options) { o.FrameLimit = 1000 })
	req := s.request(t, "POST", "/", `{"messages":[`+strings.Repeat(" ", 1200)+`]}`)
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	for _, part := range parts {
		if _, err := io.ReadFull(res.Body, make([]byte, len(part))); err != nil {
			t.Fatal(err)
		}
		came <- struct{}{}
	}
	if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the answer came %q, %v", rest, err)
	}
	r := s.one(t)
	answer := r.messages(schema.Receive)
	if len(answer) != 1 || string(answer[0].Raw) != "[{\"a\":1}\n,{\"b\":2}]" || answer[0].Transport != schema.HTTP || len(answer[0].Cuts) != 2 ||
		answer[0].Cuts[0].Offset != 8 || answer[0].Cuts[1].Offset != 10 {
		t.Errorf("answer %+v", answer)
	}
	asked := r.messages(schema.Send)
	if len(asked) != 2 || len(asked[0].Raw) != 1000 || !asked[0].Flags.Has(schema.FlagOversize) || !asked[1].Flags.Has(schema.FlagOversize) {
		t.Errorf("request %+v", asked)
	}
}

// A large upload streams through, without being held, and is recorded whole.
func TestUpload(t *testing.T) {
	const size = 64 << 20
	firstRead := make(chan struct{})
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, err := io.CopyN(h, r.Body, 1<<20)
		close(firstRead)
		rest, err2 := io.Copy(h, r.Body)
		fmt.Fprintf(w, "%d %x %v", n+rest, h.Sum(nil), errors.Join(err, err2))
	}), func(o *Options) { o.Timeout = 20 * time.Second }) // on a busy machine
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sum := sha256.New()
	source := io.TeeReader(io.LimitReader(rand.NewChaCha8([32]byte{1}), size), sum)
	first, rest := io.LimitReader(source, 2<<20), source
	body := io.MultiReader(first, waiting{firstRead, t}, rest)
	req := s.request(t, "POST", "/upload", "")
	req.Body, req.ContentLength = io.NopCloser(body), size
	req.Header.Set("Content-Type", "application/octet-stream")
	_, got := s.do(t, req)
	if want := fmt.Sprintf("%d %x <nil>", size, sum.Sum(nil)); got != want {
		t.Errorf("the upstream got %s, want %s", got, want)
	}
	r := s.one(t)
	h := sha256.New()
	n := 0
	for _, f := range r.messages(schema.Send) {
		h.Write(f.Raw)
		n += len(f.Raw)
	}
	if n != size || !bytes.Equal(h.Sum(nil), sum.Sum(nil)) {
		t.Errorf("%d bytes were recorded, and the same is %v", n, bytes.Equal(h.Sum(nil), sum.Sum(nil)))
	}
	if r.state.EndReason != "eof" {
		t.Errorf("ended %q", r.state.EndReason)
	}
}

// waiting is an empty part of a body that waits for the upstream to have read
// what came before it.
type waiting struct {
	ready chan struct{}
	t     *testing.T
}

func (w waiting) Read([]byte) (int, error) {
	select {
	case <-w.ready:
	case <-time.After(bounded.Limit):
		w.t.Error("the upstream saw nothing of an upload that is under way")
	}
	return 0, io.EOF
}

func TestClientCancels(t *testing.T) {
	gone := make(chan struct{})
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: 1\n\ndata: ha")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}), nil)
	res, err := s.client.Do(s.request(t, "GET", "/", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, 17)); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	bounded.Receive(t, gone) // the upstream is cancelled
	r := s.one(t)
	got := r.messages(schema.Receive)
	if len(got) != 2 || string(got[1].Raw) != "data: ha" || !got[1].Flags.Has(schema.FlagUnterminated) {
		t.Errorf("recorded %+v", got)
	}
	if r.state.EndReason != "error: the client went away" {
		t.Errorf("ended %q", r.state.EndReason)
	}
}

// The upstream dies in the middle of a message: the client sees the cut, and
// what came is recorded and marked.
func TestUpstreamReset(t *testing.T) {
	packed := gzipped("data: 1\n\ndata: ha")
	for _, tc := range []struct {
		name, head, body, last string
		arrives                int // bytes, at the client
	}{
		{"chunked events", "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", "11\r\ndata: 1\n\ndata: ha\r\n", "data: ha", 17},
		{"JSON with a length", "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n", `{"a":`, `{"a":`, 5},
		{"gzip, cut off", "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n", packed, "data: ha", len(packed)},
	} {
		for _, reset := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, reset %t", tc.name, reset), func(t *testing.T) {
				arrived := make(chan struct{}) // a reset may take away what was not read yet
				s := startRaw(t, func(c *net.TCPConn) {
					http.ReadRequest(bufio.NewReader(c))
					io.WriteString(c, "HTTP/1.1 200 OK\r\n"+tc.head+tc.body)
					bounded.Receive(t, arrived)
					if reset {
						c.SetLinger(0)
					}
				}, nil)
				release := sync.OnceFunc(func() { close(arrived) })
				defer release()
				res, err := s.client.Do(s.request(t, "GET", "/", ""))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if _, err := io.ReadFull(res.Body, make([]byte, tc.arrives)); err != nil {
					t.Fatal(err)
				}
				release()
				if rest, err := io.ReadAll(res.Body); err == nil || len(rest) > 0 {
					t.Errorf("the client saw no cut (%v), only %q", err, rest)
				}
				r := s.one(t)
				frames := r.messages(schema.Receive)
				last := frames[len(frames)-1]
				if string(last.Raw) != tc.last || !last.Flags.Has(schema.FlagUnterminated) {
					t.Errorf("last frame %q %v", last.Raw, last.Flags)
				}
				if !strings.HasPrefix(r.state.EndReason, "error: the upstream cut the connection: ") {
					t.Errorf("ended %q", r.state.EndReason)
				}
			})
		}
	}
}

// gzipped is text as a server has compressed and flushed it so far.
func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Flush()
	return b.String()
}

// Encodings that cannot be undone, or are not to be, are recorded as they came.
func TestEncodingsKept(t *testing.T) {
	packed := gzipped("data: 1\n\n")
	for _, tc := range []struct {
		name, encoding, body string
		keep                 bool
		want                 []string
	}{
		{"kept on request", "gzip", packed, true, []string{packed}},
		{"unknown", "compress", "\x1f\x9d", false, []string{"\x1f\x9d"}},
		{"two", "gzip, br", packed, false, []string{packed}},
		{"broken", "gzip", "no gzip at all", false, []string{"no gzip at all"}},
		{"identity", "identity", "data: 1\n\n", false, []string{"data: 1\n\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Content-Encoding", tc.encoding)
				io.WriteString(w, tc.body)
			}), func(o *Options) { o.KeepCoding = tc.keep })
			if _, got := s.do(t, s.request(t, "GET", "/", "")); got != tc.body {
				t.Errorf("the client got %q", got)
			}
			r := s.one(t)
			var got []string
			for _, f := range r.messages(schema.Receive) {
				got = append(got, string(f.Raw))
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("recorded %q", got)
			}
			notes := r.notes(schema.Receive)
			if tc.name == "broken" && (len(notes) != 2 || !strings.Contains(notes[1], "cannot decode gzip")) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 20 {
			fmt.Fprintf(w, "data: {\"of\":%s,\"n\":%d}\n\n", body, i)
			http.NewResponseController(w).Flush()
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // a random gap between two events
		}
	}), nil)
	const n = 200
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			req := s.request(t, "POST", "/", fmt.Sprint(i))
			req.Header.Set("Content-Type", "application/json")
			res, err := s.client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			got, err := io.ReadAll(res.Body)
			if err != nil || string(got) != events(fmt.Sprint(i)) {
				t.Errorf("exchange %d: %v, %q", i, err, got)
			}
		})
	}
	bounded.Wait(t, wg.Wait)
	for _, r := range s.recorded(t, n) {
		if of := r.body(schema.Send); r.body(schema.Receive) != events(of) || len(r.messages(schema.Receive)) != 20 || r.state.EndReason != "eof" {
			t.Errorf("exchange %s was recorded as %q, ended %q", of, r.body(schema.Receive), r.state.EndReason)
		}
	}
}

func events(of string) string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "data: {\"of\":%s,\"n\":%d}\n\n", of, i)
	}
	return b.String()
}
