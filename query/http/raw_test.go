package queryhttp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

// What comes out raw is what went in, to the byte.
func TestRaw(t *testing.T) {
	db := querytest.Open(t)
	rec := conversation()
	var whole bytes.Buffer
	for _, f := range rec.Frames {
		whole.Write(f.Raw)
	}
	db.Add(rec)
	var mixed querytest.Recording
	mixed.Session, mixed.Stream = "mixed", 2
	for i, raw := range []string{"POST / HTTP/1.1\r\n\r\n", `{"ask":1}`, "HTTP/1.1 200 OK\r\n\r\n", "event: a\r\ndata: 1\r\n\r\n", ": ping\n\n", `{"ws":1}`} {
		f := schema.Frame{Seq: uint64(i), At: ns(time.Duration(i) * time.Second), Raw: []byte(raw)}
		f.Transport = []schema.Transport{schema.HTTP, schema.HTTP, schema.HTTP, schema.SSE, schema.SSE, schema.WebSocket}[i]
		if i < 2 {
			f.Direction = schema.Send
		}
		if i == 0 || i == 2 {
			f.Flags = schema.FlagNote
		}
		mixed.Frames = append(mixed.Frames, f)
	}
	mixed.Frames = append(mixed.Frames, schema.Frame{Seq: 6, At: ns(7 * time.Second), Raw: []byte(`{"sent":1}`), Transport: schema.WebSocket, Direction: schema.Send})
	mixed.Frames = append(mixed.Frames, schema.Frame{Seq: 7, At: ns(8 * time.Second), Raw: []byte("close 1000"), Transport: schema.WebSocket, Flags: schema.FlagNote})
	db.Add(mixed)
	bodies := func(stream int, at time.Duration, texts ...string) {
		r := querytest.Recording{Session: "bodies", Stream: stream}
		for i, text := range texts {
			f := schema.Frame{Seq: uint64(i), At: ns(at + time.Duration(i)*time.Millisecond), Raw: []byte(text), Transport: schema.HTTP}
			if i == 0 {
				f.Flags = schema.FlagNote // the head
			}
			r.Frames = append(r.Frames, f)
		}
		db.Add(r)
	}
	bodies(3, 0, "HTTP/1.1 200 OK\r\n\r\n", "{\"x\":", "1}")
	bodies(4, time.Second, "HTTP/1.1 200 OK\r\n\r\n", "[2]\n")
	bodies(5, 2*time.Second, "HTTP/1.1 200 OK\r\n\r\n", "\x00\xff")
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	third := get[query.Page[sessionframes.Frame]](a, talk+"/frames?limit=3").Next
	for _, tc := range []struct{ path, accept, want string }{
		{talk + "/frames?raw=1", "application/x-ndjson", whole.String()},
		{talk + "/frames?raw=1", "*/*", whole.String()},
		{talk + "/frames?raw=true", "text/html, application/*;q=0.5", whole.String()},
		{talk + "/frames?raw=1&cursor=" + *third, "application/x-ndjson", string(bytes.Join([][]byte{rec.Frames[3].Raw, rec.Frames[4].Raw, rec.Frames[5].Raw, rec.Frames[6].Raw}, nil))},
		{talk + "/frames?raw=1&type=type1", "application/x-ndjson", string(rec.Frames[1].Raw) + string(rec.Frames[3].Raw) + string(rec.Frames[5].Raw)},
		{talk + "/frames?raw=1&type=none", "application/x-ndjson", ""},
		{"/v1/sessions/mixed/frames?raw=1", "application/x-ndjson", "event: a\r\ndata: 1\r\n\r\n: ping\n\n{\"ws\":1}\n"},
		{"/v1/sessions/mixed/frames?raw=1&direction=send", "application/x-ndjson", "{\"ask\":1}\n{\"sent\":1}\n"},
		{"/v1/sessions/bodies/frames?raw=1", "application/x-ndjson", "{\"x\":1}\n[2]\n\x00\xff"},
	} {
		status, header, body := a.ask("GET", tc.path, "Accept", tc.accept)
		if status != 200 || header.Get("Content-Type") != "application/x-ndjson" || string(body) != tc.want {
			t.Errorf("%s for %s: %d %s\n%q\nwant\n%q", tc.path, tc.accept, status, header.Get("Content-Type"), body, tc.want)
		}
	}
}

// big is a session of frames of 1 KiB, longer than a window.
func big(db *querytest.DB, frames int) {
	line := strings.Repeat("x", 1000)
	r := querytest.Recording{Session: "big", Stream: 9}
	for i := range frames {
		r.Frames = append(r.Frames, schema.Frame{Seq: uint64(i), At: ns(time.Duration(i/3) * time.Microsecond), Raw: fmt.Appendf(nil, "{\"n\":%016d,\"x\":\"%s\"}\n", i, line)})
	}
	db.Add(r)
}

func TestRawOfManyWindows(t *testing.T) {
	db := querytest.Open(t)
	const frames = 20_000 // 20 MB, windows are 8
	big(db, frames)
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	_, _, body := a.ask("GET", "/v1/sessions/big/frames?raw=1", "Accept", "application/x-ndjson")
	lines := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	if len(lines) != frames {
		t.Fatalf("%d frames, want %d", len(lines), frames)
	}
	for i, line := range lines {
		if !bytes.HasPrefix(line, fmt.Appendf(nil, "{\"n\":%016d,", i)) {
			t.Fatalf("frame %d is %.40s", i, line)
		}
	}
}

// An answer that cannot be finished does not look finished.
func TestRawBrokenOff(t *testing.T) {
	db := querytest.Open(t)
	big(db, 20_000)
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	req, err := http.NewRequestWithContext(t.Context(), "GET", a.server.URL+"/v1/sessions/big/frames?raw=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := a.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	// The rest of the session is gone while it is read.
	if err := db.Conn.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(resp.Body)
	if err == nil {
		t.Errorf("the answer ends well after %d bytes although its end could not be read", 1<<20+len(rest))
	}
}
