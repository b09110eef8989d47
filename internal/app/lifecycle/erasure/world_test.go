package erasure_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// world is a data directory with recordings, and the server on it.
type world struct {
	*testing.T
	dir    string
	server *process

	mu     sync.Mutex // guards what follows
	url    string
	stored map[string]string // sessions of the load that were acknowledged, with their bytes
}

func newMarker() string { return "m" + strings.ToLower(rand.Text()[:23]) }

// request sends a request to the server, and returns the status and the answer.
func (w *world) request(method, path, media string, body []byte, fields ...string) (int, string) {
	w.Helper()
	status, answer, err := w.try(w.Context(), method, path, media, body, fields...)
	if err != nil {
		w.Fatal(err)
	}
	return status, answer
}

// metrics returns what the server reports.
func (w *world) metrics() metrictest.Source {
	return metrictest.Scraped(func() string {
		_, text := w.request(http.MethodGet, "/metrics", "", nil)
		return text
	})
}

func (w *world) try(ctx context.Context, method, path, media string, body []byte, fields ...string) (int, string, error) {
	w.mu.Lock()
	base := w.url
	w.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}

// post records a body.
func (w *world) post(query url.Values, media string, body []byte, fields ...string) {
	w.Helper()
	if status, answer := w.request(http.MethodPost, "/v1/ingest?"+query.Encode(), media, body, fields...); status != http.StatusOK {
		w.Fatalf("recording was answered %d: %s", status, answer)
	}
}

const ndjson = "application/x-ndjson"

// call is a stream of Anthropic's API: text, and a tool with arguments.
func call(marker string) []byte {
	events := []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"it is ` + marker + ` indeed"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"look_up","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"name\":\"` + marker + `\"}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":50}}`,
		`{"type":"message_stop"}`,
	}
	var b bytes.Buffer
	for _, e := range events {
		var kind struct{ Type string }
		_ = json.Unmarshal([]byte(e), &kind)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind.Type, e)
	}
	return b.Bytes()
}

// recordMarked records sessions that have a marker in every form, all with its tag, and
// returns their ids.
func (w *world) recordMarked(marker, id string) []string {
	w.Helper()
	query := func(session string) url.Values {
		return url.Values{"session": {session}, "tag": {"user:" + marker}}
	}
	plain, packed, called, keyed := id+"-plain", id+"-gzip", id+"-call", id+"-keyed"
	// The title of a session is what its user says first.
	titled := query(plain)
	titled.Set("dialect", "pi")
	w.post(titled, ndjson, []byte(strings.ReplaceAll(`{"type":"agent_start"}
{"type":"turn_start"}
{"type":"message_start","message":{"role":"user","content":[{"type":"text","text":"MARKER"}],"timestamp":1767401000000}}
{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"MARKER"}],"timestamp":1767401000000}}
`, "MARKER", marker)))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprintf(z, "{\"text\":%q}\n", "in a gzip body: "+marker)
	z.Close()
	w.post(query(packed), ndjson, zipped.Bytes(), "Content-Encoding: gzip")
	w.post(query(called), "text/event-stream", call(marker))
	w.post(query(keyed), ndjson, []byte(`{"text":"`+marker+`"}`+"\n"), "Idempotency-Key: key-of-"+id)
	sessions := []string{plain, packed, called, keyed}
	for _, s := range sessions {
		w.eventually(s+" is stored", func() bool {
			status, _ := w.request(http.MethodGet, "/v1/sessions/"+s, "", nil)
			return status == http.StatusOK
		})
	}
	w.deadLetter(marker, plain)
	return sessions
}

// deadLetter sets aside a block of a session that has the marker: its latest, once more.
func (w *world) deadLetter(marker, session string) {
	w.Helper()
	m := w.latest(session)
	w.nats(func(js njs.JetStream) {
		_, err := js.PublishMsg(w.Context(), &nats.Msg{Subject: jetstream.DeadSubject, Data: m.Data, Header: nats.Header{
			jetstream.HeaderReason: {"could not parse " + marker}, jetstream.HeaderSubject: {m.Subject}, jetstream.HeaderTriedBy: {"test"},
		}})
		if err != nil {
			w.Fatal(err)
		}
	})
}

// latest returns the latest message of a session in JetStream.
func (w *world) latest(session string) (m *njs.RawStreamMsg) {
	w.Helper()
	w.nats(func(js njs.JetStream) {
		s, err := js.Stream(w.Context(), jetstream.StreamName)
		if err == nil {
			m, err = s.GetLastMsgForSubject(w.Context(), ingest.Subject(ingest.DefaultTenant, session))
		}
		if err != nil {
			w.Fatalf("the latest block of %s: %v", session, err)
		}
	})
	return m
}

func (w *world) nats(do func(njs.JetStream)) {
	w.Helper()
	nc, err := nats.Connect(w.server.NATS)
	if err != nil {
		w.Fatal(err)
	}
	defer nc.Close()
	js, err := njs.New(nc)
	if err != nil {
		w.Fatal(err)
	}
	do(js)
}

// load records sessions without a marker until ctx ends. The server may be killed meanwhile.
func (w *world) load(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		session, body := fmt.Sprint("load-", i), strings.Builder{}
		for n := range 20 {
			fmt.Fprintf(&body, "{\"n\":%d,\"of\":%q}\n", n, session)
		}
		status, _, err := w.try(ctx, http.MethodPost, "/v1/ingest?session="+session, ndjson, []byte(body.String()))
		if err == nil && status == http.StatusOK {
			w.mu.Lock()
			w.stored[session] = body.String()
			w.mu.Unlock()
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// raw returns the hash of a session's bytes, "" if it has none.
func (w *world) raw(session string) string {
	w.Helper()
	status, answer := w.request(http.MethodGet, "/v1/sessions/"+session+"/replay?mode=raw&speed=max", "", nil, "Accept: application/x-ndjson")
	if status != http.StatusOK {
		return ""
	}
	return hash(answer)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (w *world) eventually(what string, is func() bool) {
	w.Helper()
	bounded.Until(w.T, what, func() bool {
		if is() {
			return true
		}
		time.Sleep(50 * time.Millisecond) // each look is a request, or a scan of all files
		return false
	})
}

// restart starts the server.
func (w *world) restart() {
	w.Helper()
	p := start(w.T, w.dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.server, w.url = p, p.URL
}
