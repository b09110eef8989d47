package report

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A run that hangs is an alert while it is recorded: the webhook receives its begin and its end, and the commands list
// it. On the recording the same rule has the same alert.
func TestAlerts(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	received := make(chan string, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- string(body)
	}))
	defer hook.Close()
	messages := make(chan string, 10)
	slack := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- string(body)
	}))
	defer slack.Close()
	rules := commandtest.TextFile(t, []byte("rules:\n- {name: silent, kind: silence, after: 1s}\n- {name: tokens, kind: budget, tokens: 1000000}\n"+
		"- {name: month, kind: budget, per: tag:customer, period: month, tokens: 1000000, forecast: true}\n"))
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"), "--alert-rules", rules, "--alert-webhook", hook.URL,
		"--alert-webhook-secret-file", commandtest.TextFile(t, []byte("key\n")), "--alert-webhook-inward",
		"--alert-slack-webhook", slack.URL+"/services/x")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	if _, stderr, exit := s.Run(t, "alerts"); exit != 0 || !strings.Contains(stderr, "No alert.") {
		t.Errorf("without an alert: exit %d, %s", exit, stderr)
	}
	follow := s.Command(t, "alerts", "list", "--follow", "--json", "--rule", "silent")
	followed, err := follow.StdoutPipe()
	if err == nil {
		err = follow.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 10)
	go func() {
		defer close(lines)
		for text := bufio.NewScanner(followed); text.Scan(); {
			lines <- text.Text()
		}
	}()
	cmd := s.Command(t, "record", "--session", "hung", "--no-wait", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, `{"type":"RUN_STARTED","threadId":"t-hung","runId":"run-hung"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	commandtest.Contains(t, "the first event", bounded.Receive(t, received), `"type":"alert.began"`, `"rule":"silent"`, `"session_id":"hung"`, `"ended":null`)
	commandtest.Contains(t, "the first message", bounded.Receive(t, messages), "Alert *silent* began: no frame for more than 1s", `session hung, tenant default`)
	commandtest.Contains(t, "the first line", bounded.Receive(t, lines), `"rule":"silent"`, `"session_id":"hung"`, `"ended":null`)
	commandtest.Contains(t, "the list", s.Must(t, "alerts", "list", "hung", "--state", "open"), "silent", "hung", "no frame for more than 1s")
	if _, err := io.WriteString(in, `{"type":"RUN_FINISHED","threadId":"t-hung","runId":"run-hung"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	_ = bounded.Command(t, cmd) // its exit code is of no matter here
	commandtest.Contains(t, "the second event", bounded.Receive(t, received), `"type":"alert.ended"`, `"rule":"silent"`)
	if line := bounded.Receive(t, lines); !strings.Contains(line, `"rule":"silent"`) || strings.Contains(line, `"ended":null`) {
		t.Errorf("the second line: %s", line)
	}
	if err := follow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if line, more := <-lines; more {
		t.Errorf("a further line: %s", line)
	}
	if err := bounded.Command(t, follow); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	if out := s.Must(t, "alerts", "--state", "ended", "--json"); strings.Count(out, `"rule":"silent"`) != 1 {
		t.Errorf("--json: %s", out)
	}
	commandtest.UntilEnded(t, s, "hung")
	if out, stderr, exit := s.Run(t, "alerts", "test", "hung", "--rules", rules, "--fail"); exit != 1 || !strings.Contains(out, "no frame for more than 1s") ||
		!strings.Contains(stderr, "1 rule not tried: budgets per tag or tenant add up all sessions") {
		t.Errorf("on the recording: exit %d\n%s%s", exit, out, stderr)
	}
	if out := s.Must(t, "alerts", "check", rules); !strings.Contains(out, "3 rules, no problem found") {
		t.Error(out)
	}
	if len(received) > 0 {
		t.Errorf("a further event: %s", <-received)
	}
}
