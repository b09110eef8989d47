package failure

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// hangLines returns a run in AG-UI of which a tool call does not come back.
func hangLines(session string) string {
	return strings.ReplaceAll(`{"type":"RUN_STARTED","threadId":"@","runId":"run-@"}
{"type":"TOOL_CALL_START","toolCallId":"call-@","toolCallName":"psql"}
{"type":"TOOL_CALL_ARGS","toolCallId":"call-@","delta":"{}"}
{"type":"TOOL_CALL_END","toolCallId":"call-@"}
`, "@", session)
}

// recordHang begins to record a run that hangs, with a process of its own.
func recordHang(t *testing.T, s *commandtest.Instance, session string) *exec.Cmd {
	t.Helper()
	cmd := s.Command(t, "record", "--session", session, "--no-wait", "-")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = bounded.Command(t, cmd) // it may have been killed
	})
	if _, err := io.WriteString(in, hangLines(session)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// untilStatus waits until a session has a status, and returns the session.
func untilStatus(t *testing.T, s *commandtest.Instance, id string, want sessionhead.Status) (d sessiondetail.Detail) {
	t.Helper()
	bounded.Until(t, fmt.Sprintf("session %s is %s", id, want), func() bool {
		d = s.Session(t, id)
		return d.Status == want
	})
	return d
}

// What hangs is quiet, and as old as it is; a crash says of what it came. After
// kill -9 of a recorder, and of the server, what they recorded is lost, while what
// another recorder still has open is not.
func TestQuietAndLost(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := commandtest.StartUp(t, dir, "--quiet-after", "1s")
	if err != nil {
		t.Fatal(err)
	}
	recordHang(t, s, "hung")
	killed := recordHang(t, s, "killed")
	body, posted := io.Pipe()
	defer posted.Close()
	go func() {
		if resp, err := http.Post(s.URL+"/v1/ingest?session=posted", "application/x-ndjson", body); err == nil {
			resp.Body.Close()
		}
	}()
	if _, err := io.WriteString(posted, hangLines("posted")); err != nil {
		t.Fatal(err)
	}

	d := untilStatus(t, s, "hung", sessionhead.Quiet)
	if d.RunningMS == nil || d.SilentMS == nil || *d.SilentMS < 1000 || *d.RunningMS < *d.SilentMS || d.Ended != nil || d.End != nil {
		t.Errorf("hung: running for %v ms, silent for %v ms, ended %v, %v", d.RunningMS, d.SilentMS, d.Ended, d.End)
	}
	for _, id := range []string{"killed", "posted"} {
		untilStatus(t, s, id, sessionhead.Quiet)
	}
	if out := s.Must(t, "show", "hung"); !strings.Contains(out, "running for ") || !strings.Contains(out, ", silent for ") {
		t.Errorf("show says nothing of its age:\n%s", out)
	}
	if out := s.Must(t, "tools", "--slowest", "3"); strings.Count(out, "psql") < 3 {
		t.Errorf("the slowest calls leave out what hangs:\n%s", out)
	}
	if out := s.Must(t, "sessions", "--silent-for", "1s", "--running-for", "1s", "--status", "quiet"); !strings.Contains(out, "hung") {
		t.Errorf("sessions that are silent for 1 s:\n%s", out)
	}
	if alive := s.Metric(t, "tapedeck_recorders_alive"); alive < 3 {
		t.Errorf("%v recorders are alive, want the server and two commands", alive)
	}

	script := fmt.Sprintf("printf '%%s' '%s'; exit 137", hangLines("crash"))
	if _, _, exit := s.Run(t, "record", "--session", "crash", "--", "sh", "-c", script); exit != 137 {
		t.Errorf("record exits with %d, want 137", exit)
	}
	if out := s.Must(t, "show", "crash"); !strings.Contains(out, ": the recorded command exited with 137, in psql\n") {
		t.Errorf("show does not say of what it ended:\n%s", out)
	}
	if end := s.Session(t, "crash").End; end == nil || end.Reason != sessionhead.EndExit || end.Span == nil || end.Span.Name != "psql" {
		t.Errorf("crash: end is %+v", end)
	}

	tape := filepath.Join(t.TempDir(), "hung.tape")
	s.Must(t, "export", "hung", "-o", tape)
	s.Must(t, "import", "--session", "imported", tape)
	untilStatus(t, s, "imported", sessionhead.Lost)

	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(s.URL, "http://")
	s.Kill()
	if s, err = commandtest.StartUp(t, dir, "--quiet-after", "1s", "--listen", address); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"killed", "posted"} {
		d := untilStatus(t, s, id, sessionhead.Lost)
		if d.RunningMS != nil || d.SilentMS == nil || d.Ended == nil || d.End == nil || d.End.Reason != sessionhead.EndLost {
			t.Errorf("%s: running for %v ms, silent for %v ms, ended %v, %+v", id, d.RunningMS, d.SilentMS, d.Ended, d.End)
		}
	}
	if d := s.Session(t, "hung"); d.Status != sessionhead.Quiet {
		t.Errorf("hung is %s although its recorder lives, want quiet", d.Status)
	}
	if out := s.Must(t, "sessions", "--status", "lost"); !strings.Contains(out, "killed") || !strings.Contains(out, "posted") || strings.Contains(out, "hung") {
		t.Errorf("sessions that are lost:\n%s", out)
	}
	if _, err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// A run that was cancelled makes its session cancelled, for filters, too.
func TestCancelledRun(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	session := "cancelled-run"
	s.Post(t, "/v1/ingest?dialect=loom&session="+session, []byte(`{"type":"run_start","event_id":1,"session_id":"x","run_id":"r1"}
{"type":"message_chunk","event_id":2,"session_id":"x","run_id":"r1","content":"Well","id":"think"}
{"type":"run_end","event_id":3,"session_id":"x","run_id":"r1","stop_reason":"cancelled","reply":""}
`))
	d := untilStatus(t, s, session, sessionhead.Cancelled)
	if d.End == nil || d.End.Reason != sessionhead.EndCancelled {
		t.Errorf("its end is %+v", d.End)
	}
	if out := s.Must(t, "sessions", "--status", "cancelled"); !strings.Contains(out, session) {
		t.Errorf("cancelled sessions:\n%s", out)
	}
	if out := s.Must(t, "show", session); !strings.Contains(out, ": the run was cancelled") {
		t.Errorf("show:\n%s", out)
	}
}
