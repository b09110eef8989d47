package replay

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// A client that hangs up at the protocol's last event, as openai-node does, while
// the server still keeps the connection: the session is whole, and its answer
// comes to the end that HTTP demands. One event earlier the session is incomplete.
func TestHangUpAtTheEnd(t *testing.T) {
	s := commandtest.Shared(t)
	var done atomic.Bool
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"object":"chat.completion.chunk","id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}`+"\n\n"+
			`data: {"object":"chat.completion.chunk","id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n")
		if done.Load() {
			io.WriteString(w, "data: [DONE]\n\n")
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(upstream.Close)
	for _, c := range []struct {
		id, last string
		done     bool
		status   string
	}{
		{"hung up after the last event", "data: [DONE]", true, `"status":"ok"`},
		{"hung up before the last event", `"finish_reason":"stop"`, false, `"status":"incomplete"`},
	} {
		done.Store(c.done)
		proxied, stop := commandtest.StartProxy(t, s, c.id, upstream.URL)
		res, err := http.Post(proxied+"/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`))
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(res.Body); lines.Scan() && !strings.Contains(lines.Text(), c.last); {
		}
		res.Body.Close()
		stop()
		commandtest.UntilEnded(t, s, c.id)
		_, session, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(c.id))
		if !strings.Contains(strings.ReplaceAll(string(session), " ", ""), c.status) {
			t.Errorf("%s: want %s in %s", c.id, c.status, session)
		}
		got, _, _ := timed(t, s.URL+"/emulate/"+url.PathEscape(c.id)+"/v1/chat/completions", "{}") // fails where the body breaks off
		if !strings.Contains(got, c.last) {
			t.Errorf("%s: the emulation answers %q", c.id, got)
		}
	}
}
