package record

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tapedeck/query/report/toolreport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A proxy in front of a server of tools measures them: "tapedeck tools" has the calls,
// their errors, and times between those that the server and the client measured. All is
// in the session that the server named.
func TestMCPBehindTheProxy(t *testing.T) {
	s := commandtest.Shared(t)
	const session = "mcp-0191b0c2-session"
	server := &mcpServer{session: session, worked: map[string]time.Duration{}}
	upstream := httptest.NewServer(server)
	t.Cleanup(upstream.Close)
	proxied, stop := commandtest.StartProxy(t, s, "", upstream.URL, "--session-header", "Mcp-Session-Id")
	c := &mcpClient{url: proxied + "/mcp"}
	c.ask(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	if c.session != session {
		t.Fatalf("the session is %q", c.session)
	}
	c.ask(t, "notifications/initialized", "")
	c.ask(t, "tools/list", "{}")
	slow, took := c.ask(t, "tools/call", `{"name":"mcp_slow","arguments":{"n":3},"_meta":{"progressToken":"p"}}`)
	if !strings.Contains(slow, `"text":"done"`) {
		t.Fatalf("the tool returned %s", slow)
	}
	for range 4 {
		c.ask(t, "tools/call", `{"name":"mcp_fast","arguments":{}}`)
	}
	c.ask(t, "tools/call", `{"name":"mcp_failing","arguments":{}}`)
	c.ask(t, "tools/call", `{"name":"mcp_unknown","arguments":{}}`)
	stop()
	commandtest.UntilEnded(t, s, session)

	var report toolreport.Report
	if err := json.Unmarshal([]byte(s.Must(t, "tools", "--json", "--group-by", "tool,session")), &report); err != nil {
		t.Fatal(err)
	}
	got := map[string]toolreport.Times{}
	for _, row := range report.Items {
		if of := row.Group["session"]; of != nil && *of == session {
			got[*row.Group["tool"]] = row.Times
		}
	}
	for tool, want := range map[string][2]uint64{"mcp_slow": {1, 0}, "mcp_fast": {4, 0}, "mcp_failing": {1, 1}, "mcp_unknown": {1, 1}} {
		if times := got[tool]; times.Calls != want[0] || times.Errors != want[1] || times.Timed != want[0] {
			t.Errorf("%s: %+v, want %d calls and %d errors", tool, times, want[0], want[1])
		}
	}
	if len(got) != 4 {
		t.Errorf("the tools are %v", got)
	}
	least, most := milliseconds(server.worked["mcp_slow"]), milliseconds(took)
	if ms := got["mcp_slow"].MaxMS; ms == nil || *ms < least || *ms > most {
		t.Errorf("the slow tool took %v ms; the server worked for %v ms, the client waited %v ms", ms, least, most)
	}
	if least < 300 {
		t.Errorf("the server worked for %v ms only", least)
	}
	d := s.Session(t, session)
	if len(d.Dialects) != 1 || d.Dialects[0] != "mcp" || d.Totals.Runs != 0 {
		t.Errorf("dialects %v, %d runs", d.Dialects, d.Totals.Runs)
	}
	for _, x := range d.Discrepancies {
		t.Errorf("what does not add up: %+v", x)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
