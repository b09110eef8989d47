package record

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The status line has what the server recorded of the session, and what Claude Code states where
// the server does not answer. A line that is printed ends with exit code 0: otherwise Claude Code shows none.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	h.write(t, c.path(), c.asks("Count")+c.says("One.")+c.says("Two."))
	h.sync(t)
	input := fmt.Sprintf(`{"session_id":%q,"model":{"display_name":"Opus"},"cost":{"total_cost_usd":0.5},"context_window":{"used_percentage":7}}`, c.session)
	line := func(args ...string) (stdout, stderr string, exit int) {
		cmd := h.Instance.Command(t, append([]string{"statusline"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		return commandtest.Finish(t, cmd)
	}
	var stdout, stderr string
	bounded.Until(t, "the session is in the line", func() bool {
		var exit int
		stdout, stderr, exit = line("--wait", "30s")
		return exit == 0 && strings.Contains(stdout, "Opus · session 220 tokens $0.0") // 200 of input, 20 of output
	})
	if !strings.Contains(stdout, " · today ") || !strings.HasSuffix(stdout, " · context 7%\n") || stderr != "" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	stdout, stderr, exit := line("--server", "http://127.0.0.1:1")
	if stdout != "Opus · session $0.50 stated · today: server away · context 7%\n" || stderr != "" || exit != 0 {
		t.Errorf("without a server: exit %d, %q, %q", exit, stdout, stderr)
	}
	input = "{"
	if stdout, stderr, exit = line(); exit == 0 || stdout != "" || !strings.Contains(stderr, "not what Claude Code writes") {
		t.Errorf("half an object: exit %d, %q, %q", exit, stdout, stderr)
	}
}
