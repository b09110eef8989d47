package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/quota"
)

// A request at /mcp waits while as many as the limit are answered.
func TestMCPRequestsAreLimited(t *testing.T) {
	s := bareServer(t)
	s.Concurrency.MCPRequests = quota.NewGate("mcp-requests", 2, 1)
	leave, err := s.Concurrency.MCPRequests.Enter(ingest.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan *httptest.ResponseRecorder)
	go func() {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4600/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		s.echo.ServeHTTP(w, r)
		answered <- w
	}()
	select {
	case w := <-answered:
		t.Errorf("answered beyond the limit: %d", w.Code)
	case <-time.After(50 * time.Millisecond): // an answer without a limit takes less
		leave()
		if w := <-answered; w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "find_sessions") {
			t.Errorf("%d %.200s", w.Code, w.Body)
		}
	}
}
