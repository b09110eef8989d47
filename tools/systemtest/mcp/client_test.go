package mcp

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// answerLimit is the largest answer of a tool, in bytes.
const answerLimit = 20_480

// overHTTP connects a client to /mcp of a server.
func overHTTP(t *testing.T, s *commandtest.Instance) *mcp.ClientSession {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return connect(t, &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: client, DisableStandaloneSSE: true})
}

// overStdio starts "tapedeck mcp" and connects a client to it.
func overStdio(t *testing.T, s *commandtest.Instance) *mcp.ClientSession {
	t.Helper()
	return connect(t, &mcp.CommandTransport{Command: s.Command(t, "mcp")})
}

func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call calls a tool and reads its answer, which must be within the limit.
func call(t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any, into any) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError || len(text) > answerLimit {
		t.Fatalf("%s %v: failed %v, %d bytes: %.300s", tool, arguments, r.IsError, len(text), text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s: %v in %.300s", tool, err, text)
	}
}
