package record

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// mcpClient asks a server of tools.
type mcpClient struct {
	url, session string
	id           int
}

// ask sends a request, or a notification, and returns the answer and how long it took.
func (c *mcpClient) ask(t *testing.T, method, params string) (answer string, took time.Duration) {
	t.Helper()
	id := ""
	if c.id++; params != "" {
		id = fmt.Sprintf(`"id":%d,`, c.id)
		params = `,"params":` + params
	}
	start := time.Now()
	status, head, answer := c.post(t, fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q%s}`, id, method, params))
	took = time.Since(start)
	if status >= 300 {
		t.Fatalf("%s: HTTP %d %s", method, status, answer)
	}
	if named := head.Get("Mcp-Session-Id"); named != "" {
		c.session = named
	}
	return answer, took
}

// post sends a body as a client of streamable HTTP does.
func (c *mcpClient) post(t *testing.T, body string) (status int, head http.Header, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(all)
}
