package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// library has Node.js programs with libraries of others.
const library = "../../clients"

// client runs a program of the library as the client of a command that "tapedeck record --stdio"
// stands before, and reads what it prints.
func client(t *testing.T, s *commandtest.Instance, result any, program, session string, command ...string) {
	t.Helper()
	talk(t, s, result, program, slices.Concat([]string{"record", "--stdio", "--session", session, "--"}, command)...)
	commandtest.UntilEnded(t, s, session)
}

// talk runs a program of the library as the client of a command of tapedeck, and reads what it prints.
func talk(t *testing.T, s *commandtest.Instance, result any, program string, args ...string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(library, "node_modules/.installed")); err != nil && !fulltest.Wanted() {
		fulltest.Missing(t, err)
	}
	if out, err := exec.Command("sh", filepath.Join(library, "install.sh")).CombinedOutput(); err != nil {
		t.Fatalf("install the clients: %v\n%s", err, out)
	}
	tapedeck := s.Command(t, args...)
	cmd := exec.Command("node", slices.Concat([]string{filepath.Join(library, program)}, tapedeck.Args)...)
	cmd.Env = tapedeck.Env
	stdout, stderr, exit := commandtest.Finish(t, cmd)
	if exit != 0 {
		t.Fatalf("node %s: exit code %d\n%s", program, exit, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), result); err != nil {
		t.Fatalf("node %s printed %q: %v", program, stdout, err)
	}
}

// sentAndReceived returns the recorded bytes of a session by direction.
func sentAndReceived(t *testing.T, s *commandtest.Instance, session string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, way := range []string{"send", "receive"} {
		var page struct {
			Items []struct{ Position string }
			Next  *string
		}
		s.ReadJSON(t, "/v1/sessions/"+session+"/frames?limit=1000&direction="+way, &page)
		if page.Next != nil {
			t.Fatal("more than one page of frames")
		}
		for _, item := range page.Items {
			var frame struct{ Raw []byte }
			s.ReadJSON(t, "/v1/sessions/"+session+"/frames/"+item.Position, &frame)
			all[way] = append(all[way], frame.Raw...)
		}
	}
	return all
}

// An agent and a client of ACP, both with the library of the protocol's authors: the client sees what
// it sees without the tap, both directions are recorded to the byte, and the half second for which the
// person is asked is no time of the tool. With the emulated agent the client sees the same again.
func TestStdioACP(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	const session = "stdio-acp"
	type view struct {
		Updates           []string
		Text, Stop        string
		Asked             []string
		Exit              int
		Sent, Received    string
		SessionOfProtocol string `json:"session"`
	}
	var seen, emulated view
	agent, err := filepath.Abs(filepath.Join(library, "node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"))
	if err != nil {
		t.Fatal(err)
	}
	client(t, s, &seen, "acp.mjs", session, "node", agent)
	if seen.Stop != "end_turn" || !slices.Equal(seen.Asked, []string{"call_2"}) || len(seen.Updates) != 7 || seen.Exit != 0 {
		t.Errorf("the client saw %+v", seen)
	}
	recorded := sentAndReceived(t, s, session)
	for way, text := range map[string]string{"send": seen.Sent, "receive": seen.Received} {
		want, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(want) == 0 || !bytes.Equal(recorded[way], want) {
			t.Errorf("%s: recorded %d bytes, want %d, %v", way, len(recorded[way]), len(want), err)
		}
	}
	talk(t, s, &emulated, "acp.mjs", "emulate", "stdio", session, "--speed", "20")
	if !reflect.DeepEqual(emulated, seen) {
		t.Errorf("with the emulated agent the client saw %+v, want %+v", emulated, seen)
	}
	d := s.Session(t, session)
	if !slices.Equal(d.Dialects, []string{"acp"}) || d.Totals.Runs != 1 {
		t.Errorf("dialects %v, %d runs", d.Dialects, d.Totals.Runs)
	}
	var timeline struct{ Spans []timelineSpan }
	s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &timeline)
	tools := 0
	for _, x := range below(timeline.Spans) {
		if x.Kind != "tool" {
			continue
		}
		tools++
		if x.Status != "ok" {
			t.Errorf("the tool %s: %s", x.Name, x.Status)
		}
		if waited := x.Started.Sub(x.Attributes.Asked); x.Name == "edit" && waited < 500*time.Millisecond {
			t.Errorf("the tool began %v after the person was asked, who took half a second", waited)
		}
	}
	if tools != 2 {
		t.Errorf("%d tools, want 2", tools)
	}
}

// timelineSpan is what a timeline says of a span.
type timelineSpan struct {
	Kind, Name, Status string
	Started            time.Time
	Attributes         struct {
		Asked time.Time `json:"approval_at"`
	}
	Children []timelineSpan
}

// below returns spans and all spans below them.
func below(spans []timelineSpan) (all []timelineSpan) {
	for _, s := range spans {
		all = append(append(all, s), below(s.Children)...)
	}
	return all
}

// A client and a server of MCP on stdio, both with the library of the protocol's authors.
func TestStdioMCP(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const session = "stdio-mcp"
	type view struct {
		Tools, Results []string
		Failed         bool
	}
	var seen, emulated view
	server, err := filepath.Abs(filepath.Join(library, "mcp-server.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	client(t, s, &seen, "mcp.mjs", session, "node", server)
	if !slices.Equal(seen.Tools, []string{"add", "fail"}) || !slices.Equal(seen.Results, []string{"11", "12", "13"}) || !seen.Failed {
		t.Errorf("the client saw %+v", seen)
	}
	tape := filepath.Join(t.TempDir(), "mcp.tape")
	s.Must(t, "export", session, "-o", tape)
	talk(t, s, &emulated, "mcp.mjs", "emulate", "stdio", tape, "--match", "body")
	if !reflect.DeepEqual(emulated, seen) {
		t.Errorf("with the emulated server the client saw %+v, want %+v", emulated, seen)
	}
	d := s.Session(t, session)
	if !slices.Equal(d.Dialects, []string{"mcp"}) || d.Totals.Tools.Calls != 4 || d.Totals.Tools.Errors != 1 {
		t.Errorf("dialects %v, totals %+v", d.Dialects, d.Totals)
	}
}
