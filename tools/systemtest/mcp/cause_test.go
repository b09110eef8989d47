package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// causes are recordings that failed in different protocols. The span that is the cause has the call id,
// or else the kind, that the recording has for it by construction.
var causes = []cause{
	// A tool of a sub-agent failed, then its agent, then the run.
	{"claude-code.ndjson", "application/x-ndjson", "toolu_migrate", "tool", "error", "relation orders is locked"},
	// A command failed, after another whose failure did not matter.
	{"codex.ndjson", "application/x-ndjson", "item_2", "tool", "error", "cannot find module shop/cart"},
	// The stream broke off in a call.
	{"ag-ui.ndjson", "application/x-ndjson", "call-deploy", "tool", "unclosed", "kubectl rollout"},
	// The provider gave up in the middle of an answer.
	{"anthropic.sse", "text/event-stream", "", "llm", "error", "Overloaded"},
	// The provider refused the request.
	{"openai.sse", "text/event-stream", "", "llm", "error", "You exceeded your current quota"},
	// A call hangs.
	{"live-ag-ui.ndjson", "", "call-hang", "tool", "open", "select pg_sleep"},
}

// cause is a recording with the span that is the cause of its failure.
type cause struct {
	file, media  string // the stream does not end where media is ""
	call         string // id of the call in the frames; "" for none
	kind, status string
	text         string // what the span says
}

func (c *cause) session() string { return "cause-of-" + strings.ReplaceAll(c.file, ".", "-") }

// A fixed script of three calls reaches the span that is the cause of each failure, over HTTP and over
// standard input and output: find_sessions, session_errors, read_span.
func TestCauses(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range causes {
		body, err := os.ReadFile(filepath.Join("testdata", tc.file))
		if err != nil {
			t.Fatal(err)
		}
		id := tc.session()
		if tc.media == "" {
			recordOpen(t, s, id, body)
		} else {
			commandtest.Post(t, s, id, tc.media, body)
			bounded.Until(t, id+" to be over", func() bool {
				status, _, _ := s.Get(t, "/v1/sessions/"+id)
				return status == 200 && !s.Session(t, id).Status.Open()
			})
		}
	}
	for transport, c := range map[string]*mcp.ClientSession{"http": overHTTP(t, s), "stdio": overStdio(t, s)} {
		for i := range causes {
			reaches(t, s, c, transport, &causes[i])
		}
	}
}

// recordOpen records a stream that does not end before the test.
func recordOpen(t *testing.T, s *commandtest.Instance, id string, body []byte) {
	t.Helper()
	cmd := s.Command(t, "record", "--session", id, "--no-wait", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = bounded.Command(t, cmd) // the server may have ended before
	})
	if _, err := in.Write(body); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the session is running with its call", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/"+id)
		return status == 200 && s.Session(t, id).Status == sessionhead.Running && s.Session(t, id).Tools.Calls == 1
	})
}
