package replayhttp_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/replay"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// transports are what every playback must work over.
var transports = []schema.Transport{schema.SSE, schema.NDJSON, schema.WebSocket}

// message is one message as a client gets it: of SSE an event, of NDJSON a
// line, of a WebSocket a message.
type message struct {
	id, event, data string
	binary          bool
}

// playback is what a client got.
type playback struct {
	status    int
	header    http.Header
	body      string // of SSE and NDJSON
	bodyErr   error
	messages  []message
	closeCode websocket.StatusCode // of a WebSocket
}

// handler serves the one session of a tape.
func handler(s *replayhttp.Server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sessions/{id}/replay", func(w http.ResponseWriter, r *http.Request) {
		s.Replay(w, r, "default", r.PathValue("id"))
	})
	return mux
}

func serve(t testing.TB, opts replayhttp.Options) *httptest.Server {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	srv := httptest.NewServer(handler(replayhttp.New(opts)))
	t.Cleanup(srv.Close)
	return srv
}

func address(base, query string) string {
	return base + "/v1/sessions/" + replaytest.Session + "/replay?" + query
}

// play asks for a playback and takes all of it.
func play(t *testing.T, client *http.Client, base string, over schema.Transport, query string, headers ...string) *playback {
	t.Helper()
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	if over == schema.WebSocket {
		return playSocket(t, client, address(base, query), h)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address(base, query), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	if over == schema.NDJSON {
		h.Set("Accept", "application/x-ndjson")
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	p := &playback{status: res.StatusCode, header: res.Header, body: string(body), bodyErr: err}
	if over == schema.NDJSON {
		for line := range strings.Lines(p.body) {
			p.messages = append(p.messages, message{data: strings.TrimSuffix(line, "\n")})
		}
	} else {
		p.messages = parseSSE(p.body)
	}
	return p
}

// parseSSE reads events as a browser does.
func parseSSE(body string) (messages []message) {
	var m message
	data := false
	for line := range strings.SplitSeq(strings.ReplaceAll(body, "\r\n", "\n"), "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data:
			m.data = strings.TrimSuffix(m.data, "\n")
			messages = append(messages, m)
			m, data = message{}, false
		case name == "data":
			m.data, data = m.data+value+"\n", true
		case name == "id":
			m.id = value
		case name == "event":
			m.event = value
		}
	}
	return messages
}

func playSocket(t *testing.T, client *http.Client, addr string, h http.Header) *playback {
	t.Helper()
	conn, res, err := websocket.Dial(t.Context(), addr, &websocket.DialOptions{HTTPClient: client, HTTPHeader: h})
	if err != nil {
		if res == nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		return &playback{status: res.StatusCode, header: res.Header, body: string(body)}
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 24)
	p := &playback{status: res.StatusCode, header: res.Header}
	for {
		kind, data, err := conn.Read(t.Context())
		if err != nil {
			if _, ok := errors.AsType[websocket.CloseError](err); !ok {
				p.bodyErr = err
			}
			p.closeCode = websocket.CloseStatus(err)
			return p
		}
		p.messages = append(p.messages, message{data: string(data), binary: kind == websocket.MessageBinary})
	}
}

// event is a message of mode=event.
type event struct {
	Type       string          `json:"type"`
	Position   string          `json:"position"`
	OffsetMS   float64         `json:"offset_ms"`
	CapturedAt string          `json:"captured_at"`
	Frame      json.RawMessage `json:"frame"`
	Frames     int             `json:"frames"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Parameter  string          `json:"parameter"`
	Allowed    []string        `json:"allowed"`
	State      string          `json:"state"`
	Speed      any             `json:"speed"`
	Op         string          `json:"op"`
	Live       *bool           `json:"live"`
	BehindMS   float64         `json:"behind_ms"`
	AsOfMS     float64         `json:"as_of_ms"`
	Paused     bool            `json:"paused"`
	Looping    bool            `json:"looping"`
	Marker     string          `json:"marker"`
	IdleMS     float64         `json:"idle_limit_ms"`
	DurationMS float64         `json:"duration_ms"`
}

func decode(t *testing.T, text string) event {
	t.Helper()
	var e event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return e
}

// frames returns the positions that were played and the message that came last,
// which is not a frame.
func (p *playback) frames(t *testing.T) (positions []string, last event) {
	t.Helper()
	if p.status != http.StatusOK && p.status != http.StatusSwitchingProtocols || len(p.messages) == 0 {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	for _, m := range p.messages {
		if last = decode(t, m.data); last.Position != "" && last.CapturedAt != "" {
			positions = append(positions, last.Position)
		}
	}
	return positions, last
}

// simple returns a tape of n frames, ms apart, with types a, b and c in turn.
func simple(n int, apart time.Duration) *replaytest.Tape {
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "loom")
	for i := range n {
		s.Add(time.Duration(i)*apart, `{"n":`+string(rune('0'+i%10))+"}\n", func(f *schema.Frame) {
			f.Type, f.Agent, f.Direction = string(rune('a'+i%3)), "agent", schema.Direction(i%2)
		})
	}
	return tape
}

// positions of a tape's frames that pass a filter.
func positions(tape *replaytest.Tape, keep func(*replay.Frame) bool) (list []string) {
	for i := range tape.Frames() {
		if f := &tape.Frames()[i]; keep == nil || keep(f) {
			list = append(list, f.Position().String())
		}
	}
	return list
}
