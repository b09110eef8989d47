package replay

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Whatever was recorded, a terminal is sent no control character of it.
func TestNoEscapesOnTerminals(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const esc = `\u001b[31m` // in JSON
	lines := strings.Join([]string{
		`{"type":"run_start","id":"r","session_id":"esc","agent":"re` + esc + `act","message":"hi` + esc + `"}`,
		`{"type":"tool_call","run_id":"r","node_id":"n` + esc + `","call_id":"c","name":"ba` + esc + `sh","args":{}}`,
		`{"type":"tool_result","run_id":"r","node_id":"n` + esc + `","call_id":"c","name":"ba` + esc + `sh","error":"no` + esc + `"}`,
		`{"type":"\u001b]0;title\u0007","node_id":"n\u001b[31m","event_id":"5\u001b[31m"}`,
		`{"type":"run_end","id":"r","reply":"done` + esc + `"}`,
	}, "\n") + "\n"
	file := commandtest.TextFile(t, []byte(lines))
	for id, dialect := range map[string]string{"escapes": "loom", "escapes-generic": "generic"} {
		_, stderr, exit := s.Run(t, "record", "--again", "--session", id, "--dialect", dialect, "--tag", "a\x1b[1m=b\x1b[2m", file)
		if exit != 0 || controls(stderr) != "" {
			t.Errorf("record: exit %d, %q in %q", exit, controls(stderr), stderr)
		}
		for _, args := range [][]string{
			{"show", id}, {"show", id, "--text"}, {"frames", id}, {"play", id, "--speed", "max"}, {"tools"},
			{"tools", "--slowest", "3"}, {"sessions"}, {"usage", "--group-by", "tag:a\x1b[1m"}, {"usage", "--group-by", "tag:\x1b[1m"}, {"redecode", "--dialect", dialect, id},
			{"show", "\x1b[1mnot there"}, {"tools", "--group-by", "\x1b[1m"},
		} {
			stdout, stderr, _ := s.Run(t, args...)
			if bad := controls(stdout + stderr); bad != "" {
				t.Errorf("tapedeck %q prints %q in\n%s%s", args, bad, stdout, stderr)
			}
		}
		if out := s.Must(t, "frames", id, "--raw"); out != lines {
			t.Errorf("frames --raw: %q", out)
		}
		if out := s.Must(t, "play", id, "--format", "ndjson", "--speed", "max"); out != lines {
			t.Errorf("play --format ndjson: %q", out)
		}
	}
	if out := s.Must(t, "show", "escapes"); !strings.Contains(out, `ba\x1b[31msh`) || !strings.Contains(out, `tag a\x1b[1m=b\x1b[2m`) {
		t.Errorf("show does not print the tool and the tag:\n%s", out)
	}
	if out := s.Must(t, "tools", "--json"); !strings.Contains(out, `ba\u001b[31msh`) {
		t.Errorf("tools --json changes a name:\n%s", out)
	}
}

// TestRecordedBytesOnTerminals prints names that were recorded with control sequences and formulas in all formats. A
// terminal receives no control character; a pipe receives what was recorded, and in CSV no formula unless with --raw.
func TestRecordedBytesOnTerminals(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const name = `\u001b]8;;javascript:alert(1)\u0007click\u001b]0;pwn\u0007\u009b31m`
	lines := strings.Join([]string{
		`{"type":"run_start","id":"r","session_id":"terminals","agent":"@a","message":"hi"}`,
		`{"type":"tool_call","run_id":"r","node_id":"n","call_id":"c","name":"` + name + `","args":{}}`,
		`{"type":"tool_result","run_id":"r","node_id":"n","call_id":"c","name":"` + name + `","output":"x"}`,
		`{"type":"run_end","id":"r","reply":"done"}`,
	}, "\n") + "\n"
	s.Must(t, "record", "--session", "terminals", "--dialect", "loom", "--tag", "f==2+5", "--tag", "e=\x1b[1m", commandtest.TextFile(t, []byte(lines)))
	only := []string{"-q", "terminals"}
	for _, args := range [][]string{
		append([]string{"tools", "--csv"}, only...), append([]string{"tools", "--csv", "--raw"}, only...), append([]string{"tools", "--json"}, only...),
		append([]string{"calls", "--csv"}, only...), append([]string{"usage", "--csv", "--group-by", "model,tag:e"}, only...),
		append([]string{"usage", "--calls", "--csv"}, only...), append([]string{"usage", "--calls", "--format", "ndjson"}, only...),
		append([]string{"usage", "--calls", "--format", "csv", "--raw", "-o", "-"}, only...),
		{"frames", "terminals", "--raw"}, {"play", "terminals", "--format", "ndjson", "--speed", "max"}, {"show", "terminals", "--json"},
		{"audit", "--format", "csv"},
	} {
		shown, exit := commandtest.OnTerminal(t, s.Command(t, args...), "", "")
		if bad := controls(shown); exit != 0 || bad != "" {
			t.Errorf("tapedeck %q on a terminal: exit %d, %q in\n%q", args, exit, bad, shown)
		}
	}
	decoded := "\x1b]8;;javascript:alert(1)\aclick\x1b]0;pwn\a\u009b31m"
	if out := s.Must(t, append([]string{"tools", "--csv"}, only...)...); !strings.Contains(out, decoded) {
		t.Errorf("tools --csv in a pipe: %q", out)
	}
	for _, tc := range []struct {
		args      []string
		safe, raw string
	}{
		{[]string{"tools", "--csv", "--group-by", "agent"}, ",'@a,", ",@a,"},
	} {
		args := append(tc.args, only...)
		if out := s.Must(t, args...); !strings.Contains(out, tc.safe) {
			t.Errorf("%q has no %s:\n%s", args, tc.safe, out)
		}
		if out := s.Must(t, append(args, "--raw")...); !strings.Contains(out, tc.raw) {
			t.Errorf("%q --raw has no %s:\n%s", args, tc.raw, out)
		}
	}
	for _, args := range [][]string{{"tools", "--raw"}, {"usage", "--raw", "--json"}, {"audit", "--raw"}} {
		if _, stderr, exit := s.Run(t, args...); exit != commandtest.ExitUsage || !strings.Contains(stderr, "--raw goes with --format csv") {
			t.Errorf("%q: exit %d %s", args, exit, stderr)
		}
	}
	for _, path := range []string{"/v1/tools?raw=1", "/v1/usage?raw=1&format=ndjson"} {
		if status, body, _ := s.Get(t, path); status != http.StatusBadRequest || !strings.Contains(string(body), "goes with format=csv") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// controls returns the control characters that a terminal would obey.
func controls(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return r
		}
		return -1
	}, s)
}

// The frames that tapedeck frames lists without -n, and those that it reads in one request.
const (
	defaultFrames = 100
	largestPage   = 5000
)

// Lists are read on beyond what the server returns at once.
func TestLongLists(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	const frames, sessions = largestPage + 20, knownrecordings.SessionsAtOnce + 20
	var b strings.Builder
	for i := range frames {
		fmt.Fprintf(&b, "{\"n\":%d}\n", i)
	}
	s.Must(t, "record", "--session", "long", commandtest.TextFile(t, []byte(b.String())))
	b.Reset()
	for i := range sessions {
		fmt.Fprintf(&b, "{\"type\":\"run_start\",\"id\":\"r%d\",\"session_id\":\"many-%d\",\"agent\":\"a\"}\n", i, i)
	}
	s.Must(t, "record", "--dialect", "loom", "--tag", "of=many", commandtest.TextFile(t, []byte(b.String())))
	for _, tc := range []struct {
		args  []string
		items int
		more  bool
	}{
		{[]string{"frames", "long", "-n", "100000"}, frames, false},
		{[]string{"frames", "long", "-n", fmt.Sprint(largestPage + 1)}, largestPage + 1, true},
		{[]string{"frames", "long"}, defaultFrames, true},
		{[]string{"sessions", "--tag", "of=many", "-n", "100000"}, sessions, false},
		{[]string{"sessions", "--tag", "of:many", "-n", fmt.Sprint(knownrecordings.SessionsAtOnce + 1)}, knownrecordings.SessionsAtOnce + 1, true},
	} {
		stdout, stderr, exit := s.Run(t, tc.args...)
		if n := strings.Count(stdout, "\n") - 1; exit != 0 || n != tc.items || strings.Contains(stderr, "more") != tc.more {
			t.Errorf("%q: exit %d, %d items, want %d; %s", tc.args, exit, n, tc.items, stderr)
		}
		var page query.Page[json.RawMessage]
		if err := json.Unmarshal([]byte(s.Must(t, append(tc.args, "--json")...)), &page); err != nil || len(page.Items) != tc.items || (page.Next != nil) != tc.more {
			t.Errorf("%q --json: %v, %d items, want %d, next %v", tc.args, err, len(page.Items), tc.items, page.Next)
		}
	}
	if _, stderr, _ := s.Run(t, "sessions", "-q", "zzz"); !strings.Contains(stderr, "Nothing matches") {
		t.Errorf("sessions -q zzz: %s", stderr)
	}
	if stdout, _, _ := s.Run(t, "sessions", "-q", "zzz", "--json"); stdout != "{\"items\":[],\"next\":null}\n" {
		t.Errorf("sessions -q zzz --json: %q", stdout)
	}
	if _, stderr, _ := s.Run(t, "frames", "long", "--type", "zzz"); !strings.Contains(stderr, "Nothing matches") {
		t.Errorf("frames --type zzz: %s", stderr)
	}
	if _, stderr, _ := s.Run(t, "show", "zzz"); !strings.Contains(stderr, "tapedeck sessions") || strings.Contains(stderr, "GET") {
		t.Errorf("show zzz: %s", stderr)
	}
}

// Of several streams show prints which a frame is of.
func TestFramesOfSeveralStreams(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	file := commandtest.TextFile(t, []byte("{\"of\":\"two streams\"}\n"))
	s.Must(t, "record", "--session", "two", file)
	if out := s.Must(t, "frames", "two"); strings.Contains(out, "STREAM") {
		t.Errorf("one stream:\n%s", out)
	}
	s.Must(t, "record", "--again", "--session", "two", file)
	var page struct {
		Items []struct {
			Stream string `json:"stream_id"`
		}
	}
	if err := json.Unmarshal([]byte(s.Must(t, "frames", "two", "--json")), &page); err != nil || len(page.Items) != 2 {
		t.Fatal(err, page)
	}
	out := s.Must(t, "frames", "two")
	for _, f := range page.Items {
		if !strings.HasPrefix(out, "STREAM ") || !strings.Contains(out, "…"+f.Stream[len(f.Stream)-8:]) {
			t.Errorf("stream %s is not printed:\n%s", f.Stream, out)
		}
	}
}

// With --json a playback is a line of JSON for each frame.
func TestPlayJSON(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--session", "play-json", commandtest.TextFile(t, []byte("{\"n\":1}\nplain\n")))
	out := s.Must(t, "play", "play-json", "--json", "--speed", "max")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 2 frames and the end:\n%s", len(lines), out)
	}
	for _, l := range lines {
		if !json.Valid([]byte(l)) {
			t.Errorf("not JSON: %s", l)
		}
	}
	_, stderr, exit := s.Run(t, "play", "play-json", "--from", "+5s", "--to", "+1s")
	if exit != commandtest.ExitUsage || !strings.Contains(stderr, `--to "+1s" comes before "+5s"`) {
		t.Errorf("from after to: exit %d, %s", exit, stderr)
	}
}

// After Ctrl-C the recording is as readable as after its own end.
func TestInterruptedRecordingIsReadable(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for name, source := range map[string][]string{
		"stdin":   {"-"},
		"command": {"--", "sh", "-c", `echo '{"n":1}'; exec sleep 60`},
	} {
		for i := range 3 {
			id := fmt.Sprint("interrupted-", name, i)
			cmd := s.Command(t, append([]string{"record", "--session", id}, source...)...)
			stdin, feed := io.Pipe()
			cmd.Stdin = stdin
			var stdout, stderr commandtest.LogBuffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.WaitDelay = time.Second // the pipe stays open
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if name == "stdin" {
				if _, err := io.WriteString(feed, "{\"n\":1}\n"); err != nil {
					t.Fatal(err)
				}
				bounded.Until(t, "the line", func() bool {
					status, _, _ := s.Get(t, "/v1/sessions/"+id)
					return status == http.StatusOK
				})
			} else {
				bounded.Until(t, "the command's output", func() bool { return stdout.String() != "" })
			}
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			var state *os.ProcessState
			var err error
			bounded.Wait(t, func() { state, err = cmd.Process.Wait() })
			feed.Close()
			if err != nil {
				t.Fatal(err)
			}
			out := s.Must(t, "show", id)
			if strings.Contains(out, "running") || !strings.Contains(stderr.String(), "next     tapedeck show") {
				t.Errorf("%s ended with %v and said\n%sshow says\n%s", id, state, stderr.String(), out)
			}
			_ = bounded.Command(t, cmd) // the process is gone; this ends the copying
		}
	}
}

// Tool calls come as CSV, in one group, and with a total.
func TestTools(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--session", "tool-report", "--dialect", "loom", commandtest.TextFile(t, []byte(
		`{"type":"tool_call","run_id":"q","node_id":"n","call_id":"c1","name":"report_tool","args":{}}`+"\n"+
			`{"type":"tool_result","run_id":"q","node_id":"n","call_id":"c1","name":"report_tool","result":"x"}`+"\n")))
	rows, err := csv.NewReader(strings.NewReader(s.Must(t, "tools", "--csv"))).ReadAll()
	if err != nil || len(rows) < 3 || rows[0][1] != "tool" || rows[len(rows)-1][0] != "total" {
		t.Errorf("tools --csv: %v %q", err, rows)
	}
	if out := s.Must(t, "tools"); !strings.Contains(out, "report_tool") || !strings.Contains(out, "\nTOTAL ") {
		t.Errorf("tools:\n%s", out)
	}
	if out := s.Must(t, "tools", "--group-by", ""); strings.Count(out, "\n") != 2 || strings.Contains(out, "TOOL") {
		t.Errorf("tools --group-by '':\n%s", out)
	}
	if stdout, stderr, _ := s.Run(t, "tools", "--from", "2030-01-01"); stdout != "" || !strings.Contains(stderr, "Nothing matches") {
		t.Errorf("tools of the future: %s%s", stdout, stderr)
	}
}

func TestClockOfFrames(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	_, stderr, exit := s.Run(t, "record", "--again", "--clock", "frame", "--session", "no-times", commandtest.TextFile(t, []byte("{\"n\":1}\n")))
	if exit != 0 || !strings.Contains(stderr, "no frame has a time") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
}

// A tenant that a server does not record for is refused before anything is.
func TestOtherTenant(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	_, stderr, exit := s.Run(t, "record", "--tenant", "other", commandtest.TextFile(t, []byte("{}\n")))
	if exit != commandtest.ExitUsage || !strings.Contains(stderr, "--tenant other: ") || strings.Contains(stderr, "token") {
		t.Errorf("exit %d, %s", exit, stderr)
	}
}

func TestHead(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for _, path := range []string{"/healthz", "/v1/sessions", "/v1/usage", "/openapi.yaml"} {
		resp, err := httpHead(t, s.URL+path)
		if err != nil || resp != 200 {
			t.Errorf("HEAD %s: %d %v", path, resp, err)
		}
	}
}

func httpHead(t *testing.T, url string) (status int, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); len(body) > 0 || err != nil {
		return 0, fmt.Errorf("a body of %d bytes: %w", len(body), err)
	}
	return resp.StatusCode, nil
}
