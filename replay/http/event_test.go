package replayhttp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

func frame(transport schema.Transport, raw string, flags schema.Flags) *replay.Frame {
	return &replay.Frame{
		Frame: schema.Frame{
			Seq: 3, At: 1_767_323_045_012_345_678, Transport: transport, Raw: []byte(raw), Flags: flags,
			Envelope: schema.Envelope{Type: "text", Session: "own", Run: "r1", Node: "n1", EventID: "17"},
		},
		Stream: &schema.StreamState{StreamID: "019b7d3c-0000-7000-8000-000000000000", Dialect: "loom"},
	}
}

func TestEventMessage(t *testing.T) {
	e := newEvents("s1", 1_767_323_045_000_000_000)
	id, message := e.encode(frame(schema.NDJSON, "{\"a\": [1.50, \"\\u00e9\"]}\n", 0))
	want := `{"position":"1767323045012345678.019b7d3c-0000-7000-8000-000000000000.3","offset_ms":12.345678,` +
		`"captured_at":"2026-01-02T03:04:05.012345678Z","stream_id":"019b7d3c-0000-7000-8000-000000000000","seq":3,` +
		`"direction":"receive","transport":"ndjson","dialect":"loom","type":"text","session_id":"s1","run_id":"r1",` +
		`"node_id":"n1","event_id":"17","frame":{"a": [1.50, "\u00e9"]}}`
	if string(message) != want {
		t.Errorf("got  %s\nwant %s", message, want)
	}
	if string(id) != "1767323045012345678.019b7d3c-0000-7000-8000-000000000000.3" {
		t.Errorf("the id is %s", id)
	}
}

func TestEventPayload(t *testing.T) {
	for _, tc := range []struct {
		name      string
		transport schema.Transport
		raw       string
		flags     schema.Flags
		want      string // what comes after the event's id
	}{
		{"JSON of SSE", schema.SSE, "event: x\ndata: {\"a\":1}\n\n", 0, `"frame":{"a":1}`},
		{"JSON over several lines", schema.SSE, "data: {\ndata:  \"a\": \"b c\"}\n\n", 0, `"frame":{"a":"b c"}`},
		{"spaces stay", schema.NDJSON, " {\"a\":  1} \r\n", 0, `"frame": {"a":  1} `},
		{"a number", schema.WebSocket, "1e400", 0, `"frame":1e400`},
		{"text", schema.SSE, "data: [DONE]\n\n", schema.FlagNotJSON, `"flags":["not_json"],"text":"[DONE]"`},
		{"not JSON, though nothing says so", schema.NDJSON, "{\"a\":1}}\n", 0, `"text":"{\"a\":1}}"`},
		{"two values", schema.NDJSON, "1 2\n", 0, `"text":"1 2"`},
		{"several lines of text", schema.SSE, "data: a\ndata: b\n\n", 0, `"text":"a\nb"`},
		{"bytes", schema.NDJSON, "\xff\x00\n", schema.FlagInvalidUTF8 | schema.FlagNotJSON, `"flags":["not_json","invalid_utf8"],"base64":"/wA="`},
		{"bytes in JSON", schema.NDJSON, "\"\xff\"\n", 0, `"base64":"Iv8i"`},
		{"binary that is JSON", schema.WebSocket, "{}", schema.FlagBinary, `"flags":["binary"],"base64":"e30="`},
		{"a comment", schema.SSE, ": ping\n\n", schema.FlagNote, `"flags":["note"],"text":": ping\n\n"`},
		{"a head", schema.HTTP, "HTTP/1.1 200 OK\r\n\r\n", schema.FlagNote, `"flags":["note"],"text":"HTTP/1.1 200 OK\r\n\r\n"`},
		{"an empty message", schema.WebSocket, "", 0, `"text":""`},
	} {
		_, message := newEvents("s", 0).encode(frame(tc.transport, tc.raw, tc.flags))
		_, got, _ := strings.Cut(string(message), `"event_id":"17",`)
		if got != tc.want+"}" {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
		if !json.Valid(message) {
			t.Errorf("%s: not valid JSON: %s", tc.name, message)
		}
	}
}

func TestNumbersAndTimes(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0", 1: "0.000001", 999_999: "0.999999", 1_000_000: "1", 12_500_000: "12.5", -1_500_000: "-1.5", 3_600_000_000_001: "3600000.000001",
	} {
		if got := string(appendMillis(nil, ns)); got != want {
			t.Errorf("%d ns is %s ms, want %s", ns, got, want)
		}
	}
	var s stamp
	for _, ns := range []int64{0, 1, 999_999_999, 1_000_000_000, 1_767_323_045_012_345_678, 1_767_323_045_999_999_999, -1} {
		want := time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
		if got := string(s.append(nil, ns)); got != want {
			t.Errorf("%d is %s, want %s", ns, got, want)
		}
	}
}

// Whatever a frame holds, its message is one line of JSON that decodes to it,
// and its SSE event one event.
func FuzzEvent(f *testing.F) {
	for _, raw := range []string{"data: {}\n\n", "{\"a\":1}\n", "\xff", ": c\n\n", "data: \u2028\ndata:\"\x00\"\n\n", "01\n", "{\"a\"\n:1}"} {
		for kind := range 4 {
			f.Add([]byte(raw), uint8(kind), uint32(0), "type")
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, kind uint8, flags uint32, typ string) {
		fr := frame(schema.Transport(kind%4), string(raw), schema.Flags(flags%(1<<12)))
		fr.Type = typ
		id, message := newEvents("s", 0).encode(fr)
		var got struct {
			Type   string
			Frame  json.RawMessage
			Text   *string
			Base64 *string
		}
		if err := json.Unmarshal(message, &got); err != nil {
			t.Fatalf("%v: %q", err, message)
		}
		if bytes.ContainsAny(message, "\r\n") {
			t.Errorf("more than one line: %q", message)
		}
		content, _ := schema.Unframe(&fr.Frame, nil)
		data := content.Data
		if content.Empty {
			data = fr.Raw
		}
		switch {
		case got.Text != nil && *got.Text != string(data):
			t.Errorf("text %q, recorded %q", *got.Text, data)
		case got.Base64 != nil && *got.Base64 != base64.StdEncoding.EncodeToString(data):
			t.Errorf("bytes %q, recorded %q", *got.Base64, data)
		case got.Frame != nil && !sameJSON(got.Frame, data):
			t.Errorf("frame %q, recorded %q", got.Frame, data)
		}
		if utf8.ValidString(typ) && got.Type != typ {
			t.Errorf("type %q, recorded %q", got.Type, typ)
		}
		event := appendEvent(nil, id, typ, "", message)
		sse := schema.Frame{Transport: schema.SSE, Raw: event}
		back, _ := schema.Unframe(&sse, nil)
		if !bytes.Equal(back.Data, message) || back.ID != string(id) || bytes.Count(event, []byte("\n\n")) != 1 {
			t.Errorf("the event %q decodes to %+v", event, back)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// A payload in another transport's framing is read back as what it was.
func FuzzPayload(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n"), uint8(0))
	f.Add([]byte("data: a\rdata: b\r\n\n"), uint8(1))
	f.Add([]byte("a\r\n\rb"), uint8(2))
	f.Add([]byte("a\r\n\xf4"), uint8(schema.HTTP))
	f.Fuzz(func(t *testing.T, raw []byte, kind uint8) {
		fr := frame(schema.Transport(kind%4), string(raw), 0)
		content, _ := schema.Unframe(&fr.Frame, nil)
		var p payloads
		event := p.appendSSE(nil, fr)
		sse := schema.Frame{Transport: schema.SSE, Raw: event}
		back, _ := schema.Unframe(&sse, nil)
		lines := bytes.ReplaceAll(bytes.ReplaceAll(content.Data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		if fr.Transport == schema.HTTP && !utf8.Valid(content.Data) { // a binary body
			lines = base64.StdEncoding.AppendEncode(nil, content.Data)
		}
		if content.Empty != (len(event) == 0) || !content.Empty && !bytes.Equal(back.Data, lines) {
			t.Errorf("the payload %q came back as %q", content.Data, back.Data)
		}
		line := p.appendNDJSON(nil, fr)
		if !content.Empty && (bytes.Count(line, []byte("\n")) != 1 || !bytes.HasSuffix(line, []byte("\n"))) {
			t.Errorf("the payload %q is the lines %q", content.Data, line)
		}
	})
}

func FuzzCommand(f *testing.F) {
	for _, s := range []string{`{"op":"pause"}`, `{"op":"seek","to":"+1s"}`, `{"op":"speed","value":"max"}`, `{"op":"step"}`, `{}`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseCommand(text)
		if err == nil && (c.Op == player.SetSpeed && !(c.Speed == player.Max || c.Speed >= player.Slowest && c.Speed <= player.Fastest) ||
			c.Op == player.Step && c.Frames == 0) {
			t.Errorf("%q was read as %+v", text, c)
		}
	})
}
