package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/app/command/redecode"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// outdatedSessions is how many sessions of an earlier version the tests of --all have.
const outdatedSessions = 9

// betweenReads is the pause between two reports that a reader asks for while sessions are decoded.
const betweenReads = 50 * time.Millisecond

// older has ClickHouse hold sessions as decoders of an earlier version left them: with
// another name of each span and 1000 more input tokens in each usage.
type older struct {
	*commandtest.Cluster
	db driver.Conn
}

func (o *older) exec(t *testing.T, statement string) {
	t.Helper()
	if err := o.db.Exec(t.Context(), statement+" SETTINGS mutations_sync = 1"); err != nil {
		t.Fatal(err)
	}
}

func (o *older) age(t *testing.T) {
	t.Helper()
	o.exec(t, "ALTER TABLE spans UPDATE name = 'of an earlier version' WHERE true")
	o.exec(t, "ALTER TABLE usage UPDATE input = input + 1000 WHERE input < 1000")
	o.exec(t, "ALTER TABLE streams UPDATE decoder_version = 0 WHERE true")
	// Nothing but tests changes rows in place: usage that was settled before is not known to have changed.
	o.exec(t, "ALTER TABLE settlements DELETE WHERE true")
}

// facts returns what the API reports of the sessions, as text.
func facts(t *testing.T, s *commandtest.Instance) string {
	t.Helper()
	var text strings.Builder
	for i := range outdatedSessions {
		for _, part := range []string{"", "/timeline", "/transcript"} {
			status, body, _ := s.Get(t, fmt.Sprintf("/v1/sessions/old-%d%s", i, part))
			if status != http.StatusOK {
				t.Fatalf("old-%d%s: %d %s", i, part, status, body)
			}
			text.Write(body)
		}
	}
	return text.String()
}

// inputs returns the input tokens of each session by the usage report.
func inputs(t *testing.T, s *commandtest.Instance) map[string]int64 {
	t.Helper()
	status, body, _ := s.Get(t, "/v1/usage?group_by=session")
	var report usagereport.Report
	if err := json.Unmarshal(body, &report); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	got := map[string]int64{}
	for _, row := range report.Items {
		got[*row.Group["session"]] = row.Tokens.Input
	}
	return got
}

var standing = regexp.MustCompile(`(\d+) sessions? decoded again, .*; (\d+) of (\d+) outdated sessions? left`)

// stands reads where a run says that it stands.
func stands(t *testing.T, stdout string) (decoded, left, total int) {
	t.Helper()
	found := standing.FindStringSubmatch(stdout)
	if found == nil {
		t.Fatalf("it does not say where it stands:\n%s", stdout)
	}
	if _, err := fmt.Sscan(strings.Join(found[1:], " "), &decoded, &left, &total); err != nil {
		t.Fatal(err)
	}
	return decoded, left, total
}

// Sessions of an earlier version are brought up to date by runs that are interrupted, killed,
// and that a session fails in: the facts are those of the recording, and at
// any time readers see those of one version.
func TestRedecodeAll(t *testing.T) {
	fulltest.Long(t)
	o := &older{Cluster: commandtest.NewCluster(t, local.Options{})}
	s := o.Serve(t, "ingest,sink,api")
	var err error
	if o.db, err = clickhouse.Open(o.Servers.ClickHouseDSN()); err != nil {
		t.Fatal(err)
	}
	defer o.db.Close()
	for i := range outdatedSessions {
		s.Must(t, "record", "--session", fmt.Sprintf("old-%d", i), commandtest.TextFile(t, []byte(strings.ReplaceAll(commandtest.LoomRun, "Noon", fmt.Sprintf("Noon %d", i)))))
	}
	if out := s.Must(t, "redecode", "--all"); !strings.HasPrefix(out, "0 sessions decoded again") {
		t.Errorf("nothing is outdated:\n%s", out)
	}
	// The run of the live session stays open: it counts as running for an hour without a frame.
	open, _, _ := strings.Cut(commandtest.LoomRun, `{"session_id":"r","node_id":"run-think-0","event_id":8`)
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(open), 0o600); err != nil {
		t.Fatal(err)
	}
	live := s.Command(t, "record", "--session", "live", "--follow", log)
	if err := live.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = live.Process.Kill() // ends with the test
		_ = bounded.Command(t, live)
	}()
	bounded.Until(t, "the live session", func() bool { return inputs(t, s)["live"] == 10 })
	recorded := facts(t, s)
	o.age(t)
	o.exec(t, "ALTER TABLE streams UPDATE dialect = 'gone' WHERE session_id = 'old-3'")
	if facts(t, s) == recorded {
		t.Fatal("the earlier version has the same facts: this shows nothing")
	}

	done, read := make(chan struct{}), make(chan int)
	go func() {
		reads := 0
		defer func() { read <- reads }()
		for {
			select {
			case <-done:
				return
			case <-time.After(betweenReads): // the reader otherwise takes the processor from the decoding that it observes
			}
			resp, err := http.Get(s.URL + "/v1/usage?group_by=session")
			if err != nil {
				t.Error(err)
				return
			}
			var report usagereport.Report
			err = json.NewDecoder(resp.Body).Decode(&report)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("readers are answered %d, %v", resp.StatusCode, err)
			}
			reads++
			if len(report.Items) != outdatedSessions+1 {
				t.Errorf("readers see %d sessions, want %d", len(report.Items), outdatedSessions+1)
			}
			for _, row := range report.Items {
				if n := row.Tokens.Input; n != 10 && n != 1010 {
					t.Errorf("readers see %d input tokens of %s", n, *row.Group["session"])
				}
			}
		}
	}()

	// Interrupted after the first session.
	cmd := s.Command(t, "redecode", "--all")
	var stdout, stderr commandtest.LogBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	current := func() (n int) {
		for _, input := range inputs(t, s) {
			if input == 10 {
				n++
			}
		}
		return n
	}
	bounded.Until(t, "more sessions than are decoded at a time", func() bool { return current() > redecode.AtOnce })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = bounded.Command(t, cmd)
	decoded, left, total := stands(t, stdout.String())
	if cmd.ProcessState.ExitCode() != commandtest.ExitFailed || decoded < 1 || total != outdatedSessions+1 || left < 1 || !strings.Contains(stderr.String(), "goes on with the rest") {
		t.Errorf("interrupted: exit %d\n%s%s", cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
	}

	// Killed while it decodes.
	cmd = s.Command(t, "redecode", "--all")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	before := current()
	bounded.Until(t, "another session", func() bool { return current() > before })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = bounded.Command(t, cmd)

	// The rest, with a session that fails and one that is being recorded.
	// The server may still decode the session at which the command was killed, and refuses it until then. On a
	// busy machine the killed command may have decoded all others.
	out, diag, exit := s.Run(t, "redecode", "--all")
	_, left, _ = stands(t, out)
	bounded.Until(t, "the end of the decoding that was interrupted", func() bool {
		if !strings.Contains(diag, "is being decoded again already") {
			return true
		}
		out, diag, exit = s.Run(t, "redecode", "--all")
		_, left, _ = stands(t, out)
		return false
	})
	if exit != commandtest.ExitFailed || left != 2 ||
		!strings.Contains(diag, "session old-3:") || !strings.Contains(diag, `"gone"`) || !strings.Contains(diag, "by a later run: live") {
		t.Errorf("exit %d\n%s%s", exit, out, diag)
	}
	o.exec(t, "ALTER TABLE streams UPDATE dialect = 'loom' WHERE session_id = 'old-3'")
	if out, diag, exit = s.Run(t, "redecode", "--all"); exit != 0 || !strings.HasPrefix(out, "1 session decoded again") {
		t.Errorf("exit %d\n%s%s", exit, out, diag)
	}
	close(done)
	t.Logf("%d reads", <-read)
	if got := facts(t, s); got != recorded {
		t.Errorf("the facts are\n%s\nrecorded were\n%s", got, recorded)
	}
	var repeated uint64
	if err := o.db.QueryRow(t.Context(), "SELECT count() FROM (SELECT session_id FROM redecodes FINAL WHERE session_id LIKE 'old-%' GROUP BY session_id HAVING count() != 1)").Scan(&repeated); err != nil || repeated > 0 {
		t.Errorf("%d sessions are not there once: %v", repeated, err)
	}
}
