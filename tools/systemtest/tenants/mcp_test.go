package tenants

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
)

// bearer adds a token to requests.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// tools returns a function that calls tools at /mcp with a token.
func (r *rig) tools(token string) func(tool string, arguments map[string]any) (text string, failed bool) {
	r.t.Helper()
	transport := &http.Transport{}
	r.t.Cleanup(transport.CloseIdleConnections)
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(r.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: r.first + "/mcp", HTTPClient: &http.Client{Transport: bearer{transport, token}}, DisableStandaloneSSE: true}, nil)
	r.must(err)
	r.t.Cleanup(func() { _ = c.Close() })
	return func(tool string, arguments map[string]any) (string, bool) {
		r.t.Helper()
		result, err := c.CallTool(r.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		r.must(err)
		return result.Content[0].(*mcp.TextContent).Text, result.IsError
	}
}

// A tool reads what its token may read: nothing of another tenant, of which it answers as of what is
// unknown, and no recorded bytes with the scope read. The audit log has what it read.
func TestTools(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	r := newRig(t)
	r.fill(alpha, 1)
	r.fill(beta, 1)
	own, foreign, unknown := "only-"+alpha, "only-"+beta, "only-nobMark"
	raw := r.tools(r.token(tenantOf(alpha), access.ReadRaw))
	for tool, arguments := range map[string]map[string]any{
		"find_sessions": {}, "search_text": {"query": "says"}, "open_calls": {}, "tool_stats": {}, "usage_report": {"group_by": []string{"session"}},
		"session_outline": {"session": own}, "session_errors": {"session": own}, "read_messages": {"session": own}, "read_frames": {"session": own},
		"compare_sessions": {"a": own, "b": "shared"},
	} {
		if text, failed := raw(tool, arguments); failed || strings.Contains(text, beta) {
			t.Errorf("%s: failed %v: %.500s", tool, failed, text)
		}
		for _, name := range []string{"session", "a"} {
			if arguments[name] == nil {
				continue
			}
			answers := map[string]string{}
			for _, id := range []string{foreign, unknown} {
				arguments[name] = id
				text, failed := raw(tool, arguments)
				if !failed {
					t.Errorf("%s of %s: %.300s", tool, id, text)
				}
				answers[id] = strings.ReplaceAll(text, id, "ID")
			}
			if answers[foreign] != answers[unknown] || !strings.Contains(answers[foreign], "find_sessions") {
				t.Errorf("%s: %q of another tenant's session, %q of an unknown one", tool, answers[foreign], answers[unknown])
			}
		}
	}
	if text, _ := raw("find_sessions", nil); !strings.Contains(text, own) {
		t.Errorf("find_sessions: %.300s", text)
	}

	reader := r.tools(r.token(tenantOf(alpha), access.Read))
	if text, failed := reader("read_frames", map[string]any{"session": own}); !failed || !strings.Contains(text, "use read_messages or read_span") {
		t.Errorf("read_frames with the scope read: failed %v: %.300s", failed, text)
	}
	admin := r.token(tenantOf(alpha), access.Admin)
	for _, action := range []string{"session.transcript", "session.frames", "session.compare", "session.search", "session.open"} {
		bounded.Until(t, action+" in the audit log", func() bool {
			list := items(t, r.request(admin, http.MethodGet, "/v1/audit?action="+action, "", ""))
			return slices.ContainsFunc(list, func(e map[string]any) bool { return e["outcome"] == "done" })
		})
	}
	recorder := r.request(r.token(tenantOf(alpha), access.Record), http.MethodPost, "/mcp", "application/json", `{}`)
	if recorder.code != http.StatusForbidden {
		t.Errorf("a token that may not read: %d %s", recorder.code, clip(recorder.body))
	}
}
