package har

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"
	"time"

	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

func note(f *schema.Frame) { f.Transport, f.Flags = schema.HTTP, schema.FlagNote }

func sent(f *schema.Frame) { f.Direction = schema.Send }

// Two exchanges that overlap, a WebSocket, a request without an answer, and a
// stream that is no exchange.
func TestWrite(t *testing.T) {
	tape := &replaytest.Tape{}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	tape.Stream(schema.HTTP, "generic").
		Add(ms(0), "POST /v1/messages?a=1&b=x%20y HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nCookie: k=v\r\n\r\n", note, sent).
		Add(ms(5), `{"q":1}`, sent).
		Add(ms(20), "HTTP/1.1 100 Continue\r\n\r\n", note).
		Add(ms(25), "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nSet-Cookie: s=1; Path=/\r\n\r\n", note).
		Add(ms(30), "data: ä\n\n", func(f *schema.Frame) { f.Transport = schema.SSE }).
		Add(ms(65), "data: b\n\n", func(f *schema.Frame) { f.Transport = schema.SSE }).
		Add(ms(66), "X-Trailer: 1\r\n\r\n", note)
	tape.Stream(schema.HTTP, "generic").
		Add(ms(10), "GET /image HTTP/1.1\r\nHost: here\r\n\r\n", note, sent).
		Add(ms(12), "HTTP/1.1 404\r\nContent-Type: image/png\r\n\r\n", note).
		Add(ms(13), "\x89PNG\x00")
	tape.Stream(schema.HTTP, "generic").
		Add(ms(40), "GET /ws HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n\r\n", note, sent).
		Add(ms(41), "HTTP/1.1 101 Switching Protocols\r\n\r\n", note).
		Add(ms(42), "hello", sent, func(f *schema.Frame) { f.Transport = schema.WebSocket }).
		Add(ms(43), "\x00\xff", func(f *schema.Frame) { f.Transport, f.Flags = schema.WebSocket, schema.FlagBinary }).
		Add(ms(44), "close 1000", func(f *schema.Frame) { f.Transport, f.Flags = schema.WebSocket, schema.FlagNote })
	tape.Stream(schema.HTTP, "generic").Add(ms(50), "GET /never HTTP/1.1\r\nHost: here\r\n\r\n", note, sent)
	tape.Stream(schema.NDJSON, "loom").Add(ms(60), "{}\n")

	var out bytes.Buffer
	n, err := Write(t.Context(), &out, tape, "1")
	if err != nil || n != 4 {
		t.Fatalf("%d entries, %v", n, err)
	}
	var doc struct {
		Log struct {
			Version string
			Creator struct{ Name, Version string }
			Entries []entry
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	e := doc.Log.Entries
	first := e[0]
	if first.Request.Method != "POST" || first.Request.URL != "http://here/v1/messages?a=1&b=x%20y" || first.Request.Posted.Text != `{"q":1}` ||
		len(first.Request.Query) != 2 || first.Request.Query[1] != (pair{"b", "x y"}) || first.Request.Cookies[0] != (pair{"k", "v"}) ||
		first.Response.Status != 200 || first.Response.Content.Text != "data: ä\n\ndata: b\n\n" || first.Response.Cookies[0] != (pair{"s", "1"}) {
		t.Errorf("the first: %+v", first)
	}
	if first.Timings != (timings{Send: 5, Wait: 15, Receive: 46}) || first.Time != 66 || first.Started != stamp(replaytest.Start) {
		t.Errorf("its times: %v %v %v", first.Started, first.Time, first.Timings)
	}
	if c := e[1].Response.Content; c.Encoding != "base64" || c.Text != base64.StdEncoding.EncodeToString([]byte("\x89PNG\x00")) || e[1].Response.Reason != "Not Found" {
		t.Errorf("the second: %+v", e[1].Response)
	}
	if m := e[2].Messages; e[2].Kind != "websocket" || len(m) != 2 || m[0].Type != "send" || m[0].Data != "hello" || m[1].Opcode != 2 {
		t.Errorf("the WebSocket: %+v", e[2])
	}
	if e[3].Response.Status != 0 || e[3].Response.Headers == nil {
		t.Errorf("the one without an answer: %+v", e[3].Response)
	}
}
