package clients

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/proxy"
)

// The recorded answers of two requests are found by their bodies, whatever the order in
// which a library asks, to the byte and with the recorded fields.
func TestProxiedByBody(t *testing.T) {
	t.Parallel()
	captures := map[string]string{"first": "openai_chat/openai_chat_stream.sse", "second": "openai_responses/background_part1.sse"}
	path := capture(t, captures["first"])
	want := readChat(t, path)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Recorded", "yes")
		name := "second"
		if bytes.Contains(asked, []byte("What is recorded?")) {
			name = "first"
		}
		_, _ = w.Write(dialecttest.Fixture(t, captures[name]))
	}))
	t.Cleanup(upstream.Close)
	tape := proxied(t, upstream.URL, func(base string) {
		post(t, base, `{"model":"other"}`)
		var got []chat
		node(t, &got, nil, "openai-chat.mjs", base)
		same(t, got, []chat{want})
		upstream.CloseClientConnections()
	})
	base := emulate(t, "http", tape, "--match", "body", "--end", "stop").URL
	var got []chat
	node(t, &got, nil, "openai-chat.mjs", base) // asked second when it was recorded
	same(t, got, []chat{want})
	status, body, head := post(t, base, "{ \"user\": \"me\", \"model\" : \"other\"}")
	if status != 200 || body != string(dialecttest.Fixture(t, captures["second"])) || head.Get("X-Recorded") != "yes" {
		t.Errorf("the other body: %d, %v, %d bytes", status, head, len(body))
	}
	if status, _, _ := post(t, base, `{"model":"other"}`); status != http.StatusConflict {
		t.Errorf("a third request: %d", status)
	}
	if status, _, _ := post(t, base, `{"model":"another"}`); status != http.StatusConflict {
		t.Errorf("a body that was never sent: %d", status)
	}
}

func post(t *testing.T, base, body string) (status int, text string, head http.Header) {
	t.Helper()
	res, err := http.Post(base+"/v1/chat/completions", "application/json", strings.NewReader(body))
	check(t, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	check(t, err)
	http.DefaultClient.CloseIdleConnections()
	return res.StatusCode, string(all), res.Header
}

// proxied records the requests of asks through the proxy to a tape file. The servers end also if asks skips the
// test.
func proxied(t *testing.T, upstream string, asks func(base string)) (path string) {
	t.Helper()
	var memory ingesttest.Memory
	p, err := proxy.New(proxy.Options{
		Upstream: upstream, Recorder: ingest.NewRecorder(&memory, ingest.Settings{}), Stream: ingest.StreamOptions{Session: "proxied"},
	})
	check(t, err)
	func() {
		front := httptest.NewServer(p)
		defer func() {
			front.Close()
			if err := p.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		asks(front.URL)
	}()
	return tapeOf(t, &memory, "proxied")
}
