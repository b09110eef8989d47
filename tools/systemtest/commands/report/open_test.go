package report

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// tapedeck open lists a call that hangs, with its arguments, and nothing once the stream has ended.
func TestOpen(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	cmd := s.Command(t, "record", "--session", "open-now", "--tag", "of=open", "--no-wait", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	frames := `{"type":"RUN_STARTED","threadId":"t-open","runId":"run-open"}
{"type":"TOOL_CALL_START","toolCallId":"call-open","toolCallName":"psql"}
{"type":"TOOL_CALL_ARGS","toolCallId":"call-open","delta":"{\"sql\":\"select 1\"}"}
{"type":"TOOL_CALL_END","toolCallId":"call-open"}
`
	if _, err := io.WriteString(in, frames); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ +tool .* psql \{"sql":"select 1"\}$`)
	bounded.Until(t, "the call to be listed", func() bool {
		out := s.Must(t, "open", "--tag", "of=open")
		return line.MatchString(out) && strings.Contains(out, "\nopen-now  ")
	})
	if _, stderr, exit := s.Run(t, "open", "--tag", "of=open", "--status", "ok"); exit == 0 || !strings.Contains(stderr, "running, quiet") {
		t.Errorf("--status ok: exit %d, %s", exit, stderr)
	}
	if out := s.Must(t, "open", "--tag", "of=open", "--json"); !strings.Contains(out, `"name":"psql"`) || !strings.Contains(out, `"usual":null`) {
		t.Errorf("--json: %s", out)
	}
	in.Close()
	_ = bounded.Command(t, cmd) // its exit code is of no matter here
	bounded.Until(t, "nothing to be listed", func() bool {
		out, stderr, _ := s.Run(t, "open", "--tag", "of=open")
		return out == "" && strings.Contains(stderr, "Nothing runs that matches")
	})
}
