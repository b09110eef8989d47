package replayhttp_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

func flag(f schema.Flags) func(*schema.Frame) { return func(fr *schema.Frame) { fr.Flags |= f } }

// sseTape returns a body as servers send it: a byte order mark, comments, ids of its
// own, CR LF, several data lines, bytes that are not UTF-8, and no blank line
// at the end. Requests and heads are not a part of it.
func sseTape() (tape *replaytest.Tape, body string) {
	tape = &replaytest.Tape{}
	s := tape.Stream(schema.SSE, "x")
	add := func(raw string, set ...func(*schema.Frame)) {
		s.Add(time.Duration(len(body))*time.Millisecond, raw, set...)
		body += raw
	}
	s.Add(0, "POST / HTTP/1.1\r\n\r\n", func(f *schema.Frame) {
		f.Direction, f.Transport, f.Flags = schema.Send, schema.HTTP, schema.FlagNote
	})
	s.Add(0, `{"stream":true}`, func(f *schema.Frame) { f.Direction, f.Transport = schema.Send, schema.HTTP })
	s.Add(0, "HTTP/1.1 200 OK\r\n\r\n", func(f *schema.Frame) { f.Transport, f.Flags = schema.HTTP, schema.FlagNote })
	add("\xef\xbb\xbfid: 7\nevent: start\ndata: {\"a\":1}\n\n")
	add(": ping\n\n", flag(schema.FlagNote))
	add("data: one\r\ndata: two\r\n\r\n")
	add("\n\n", flag(schema.FlagNote))
	add("retry: 10\ndata: \xff\xfe\n\n", flag(schema.FlagInvalidUTF8|schema.FlagNotJSON))
	add("event: end\ndata: [DONE]\n\n")
	add("data: cut", flag(schema.FlagUnterminated))
	return tape, body
}

func ndjsonTape() (tape *replaytest.Tape, body string) {
	tape = &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "x")
	for i, raw := range []string{"{\"a\": 1}\n", "\n", "[1]\r\n", "not json\n", "\xff\n", "{\"cut"} {
		s.Add(time.Duration(i)*time.Millisecond, raw)
		body += raw
	}
	return tape, body
}

func socketTape() (tape *replaytest.Tape, messages []message) {
	tape = &replaytest.Tape{}
	s := tape.Stream(schema.WebSocket, "x")
	s.Add(0, `{"type":"run"}`, func(f *schema.Frame) { f.Direction = schema.Send })
	for i, m := range []message{{data: `{"a":1}`}, {data: ""}, {data: "a\nb"}, {data: "\x00\xff", binary: true}, {data: "plain", binary: true}} {
		set := flag(0)
		if m.binary {
			set = flag(schema.FlagBinary)
		}
		s.Add(time.Duration(i)*time.Millisecond, m.data, set)
		messages = append(messages, m)
	}
	s.Add(time.Second, "1000", flag(schema.FlagNote))
	return tape, messages
}

// bodiesTape returns what a proxy records of plain HTTP: streams of one exchange each,
// whose bodies come in pieces and are no stream.
func bodiesTape() *replaytest.Tape {
	tape := &replaytest.Tape{}
	at := time.Duration(0)
	exchange := func(over schema.Transport, pieces ...string) {
		s := tape.Stream(schema.HTTP, "x")
		s.Add(at, "POST / HTTP/1.1\r\n\r\n", func(f *schema.Frame) { f.Direction, f.Flags = schema.Send, schema.FlagNote })
		s.Add(at, `{"asked":1}`, func(f *schema.Frame) { f.Direction = schema.Send })
		s.Add(at, "HTTP/1.1 200 OK\r\n\r\n", flag(schema.FlagNote))
		for _, p := range pieces {
			s.Add(at, p, func(f *schema.Frame) { f.Transport = over })
			at += time.Millisecond
		}
	}
	exchange(schema.HTTP, "{\"x\":1,\r\n \"y\"", ":2}")
	exchange(schema.NDJSON, "{\"line\":1}\n")
	exchange(schema.HTTP, "\x89PNG")
	exchange(schema.HTTP, "[3]\n")
	exchange(schema.SSE, "data: [DONE]\n\n")
	return tape
}

// A body that is no stream is among the bytes that the client got.
func TestRawOfOneBody(t *testing.T) {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.HTTP, "x")
	s.Add(0, "HTTP/1.1 200 OK\r\n\r\n", flag(schema.FlagNote))
	s.Add(0, "<html>\n")
	s.Add(time.Millisecond, "</html>")
	srv := serve(t, replayhttp.Options{Library: tape})
	for _, speed := range []string{"max", "1000"} {
		if p := play(t, srv.Client(), srv.URL, schema.NDJSON, "mode=raw&speed="+speed); p.body != "<html>\n</html>" || p.bodyErr != nil {
			t.Errorf("at %s: %q, %v", speed, p.body, p.bodyErr)
		}
	}
}

func TestRawIsWhatWasRecorded(t *testing.T) {
	for _, speed := range []string{"max", "1000"} {
		tape, body := sseTape()
		srv := serve(t, replayhttp.Options{Library: tape, Heartbeat: time.Millisecond})
		if p := play(t, srv.Client(), srv.URL, schema.SSE, "mode=raw&speed="+speed); p.body != body || p.bodyErr != nil {
			t.Errorf("SSE at %s: got  %q %v\nwant %q", speed, p.body, p.bodyErr, body)
		}
		tape, body = ndjsonTape()
		srv = serve(t, replayhttp.Options{Library: tape})
		if p := play(t, srv.Client(), srv.URL, schema.NDJSON, "mode=raw&speed="+speed); p.body != body || p.bodyErr != nil {
			t.Errorf("NDJSON at %s: got  %q %v\nwant %q", speed, p.body, p.bodyErr, body)
		}
		tape, messages := socketTape()
		srv = serve(t, replayhttp.Options{Library: tape})
		p := play(t, srv.Client(), srv.URL, schema.WebSocket, "mode=raw&speed="+speed)
		if p.closeCode != 1000 || !slices.Equal(p.messages, messages) { // no end among them: the code says it
			t.Errorf("WebSocket at %s: closed with %d, got  %+v\nwant %+v", speed, p.closeCode, p.messages, messages)
		}
	}
}

func TestRawOverAnotherTransport(t *testing.T) {
	sse, _ := sseTape()
	ndjson, _ := ndjsonTape()
	pretty := &replaytest.Tape{}
	pretty.Stream(schema.SSE, "").Add(0, "data: {\ndata:   \"a\": [1,\ndata: 2]}\n\n")
	socket, _ := socketTape()
	bodies := bodiesTape()
	bin := base64.StdEncoding.EncodeToString([]byte("\x00\xff"))
	const end = "event: end\ndata: {\"type\":\"end\""
	for _, tc := range []struct {
		name string
		tape *replaytest.Tape
		over schema.Transport
		want string // of a body; messages joined by |
	}{
		{"NDJSON as SSE", ndjson, schema.SSE,
			"data: {\"a\": 1}\n\ndata: [1]\n\ndata: not json\n\ndata: \xff\n\ndata: {\"cut\n\n" + end},
		{"WebSocket as SSE", socket, schema.SSE,
			"data: {\"a\":1}\n\ndata: a\ndata: b\n\ndata: " + bin + "\n\ndata: cGxhaW4=\n\n" + end},
		{"SSE as NDJSON", sse, schema.NDJSON, "{\"a\":1}\n\"one\\ntwo\"\n\xff\xfe\n[DONE]\ncut\n"},
		{"JSON over several lines as NDJSON", pretty, schema.NDJSON, "{\"a\":[1,2]}\n"},
		{"WebSocket as NDJSON", socket, schema.NDJSON, "{\"a\":1}\n\"a\\nb\"\n\"" + bin + "\"\n\"cGxhaW4=\"\n"},
		{"SSE as WebSocket", sse, schema.WebSocket, "{\"a\":1}|one\ntwo|\xff\xfe(binary)|[DONE]|cut"},
		{"bodies as NDJSON", bodies, schema.NDJSON, "{\"x\":1,\r\n \"y\":2}\n{\"line\":1}\n\x89PNG\n[3]\n[DONE]\n"},
		{"bodies as SSE", bodies, schema.SSE, "data: {\"x\":1,\ndata:  \"y\"\n\ndata: :2}\n\ndata: {\"line\":1}\n\ndata: iVBORw==\n\ndata: [3]\ndata: \n\ndata: [DONE]\n\n"},
		{"bodies as WebSocket", bodies, schema.WebSocket, "{\"x\":1,\r\n \"y\"|:2}|{\"line\":1}|\x89PNG(binary)|[3]\n|[DONE]"},
		{"NDJSON as WebSocket", ndjson, schema.WebSocket, "{\"a\": 1}|[1]|not json|\xff(binary)|{\"cut"},
	} {
		srv := serve(t, replayhttp.Options{Library: tc.tape})
		p := play(t, srv.Client(), srv.URL, tc.over, "mode=raw&speed=max")
		got := p.body
		if tc.over == schema.WebSocket {
			var list []string
			if n := len(p.messages); n > 0 && strings.HasPrefix(p.messages[n-1].data, `{"type":"end"`) {
				p.messages = p.messages[:n-1]
			}
			for _, m := range p.messages {
				if m.binary {
					m.data += "(binary)"
				}
				list = append(list, m.data)
			}
			got = strings.Join(list, "|")
		} else if i := strings.Index(got, end); tc.over == schema.SSE && i >= 0 {
			got = got[:i+len(end)]
		}
		if got != tc.want {
			t.Errorf("%s: got  %q\nwant %q", tc.name, got, tc.want)
		}
	}
}

// Where requests are asked for they are there, and heads never are.
func TestRawDirections(t *testing.T) {
	tape, _ := socketTape()
	srv := serve(t, replayhttp.Options{Library: tape})
	p := play(t, srv.Client(), srv.URL, schema.WebSocket, "mode=raw&speed=max&direction=send,receive")
	if len(p.messages) != 6 || p.messages[0].data != `{"type":"run"}` {
		t.Errorf("got %+v", p.messages)
	}
}

// A recorded body that breaks off does not look like one that ended.
func TestRawBreaksOff(t *testing.T) {
	for _, over := range []schema.Transport{schema.SSE, schema.NDJSON, schema.WebSocket} {
		tape, _ := sseTape()
		if over == schema.WebSocket {
			tape, _ = socketTape()
			tape.FailAfter, tape.Err = 2, errors.New("boom")
			srv := serve(t, replayhttp.Options{Library: tape})
			if p := play(t, srv.Client(), srv.URL, over, "mode=raw&speed=max"); len(p.messages) != 2 || p.closeCode != 1011 {
				t.Errorf("%s: closed with %d after %+v", over, p.closeCode, p.messages)
			}
			continue
		}
		if over == schema.NDJSON {
			tape, _ = ndjsonTape()
		}
		tape.FailAfter, tape.Err = 2, errors.New("boom")
		srv := serve(t, replayhttp.Options{Library: tape})
		p := play(t, srv.Client(), srv.URL, over, "mode=raw&speed=max")
		if p.status != http.StatusOK || p.bodyErr == nil || strings.Contains(p.body, "problem") || strings.Contains(p.body, "event: end") {
			t.Errorf("%s: got %q, %v", over, p.body, p.bodyErr)
		}
	}
}
