package replay

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Sessions of every transport go through one tape file to another server and back
// to the one they come from. Nothing is lost, changed or doubled.
func TestTapeRoundTrip(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	dir := t.TempDir()
	sessions := map[string]commandtest.Playable{}
	s.Must(t, "record", "--again", "--session", "tape lines", "--tag", "a=b", commandtest.TextFile(t, []byte(commandtest.AwkwardLines)))
	sessions["tape lines"] = commandtest.Playable{Accept: "ndjson", Want: []byte(commandtest.AwkwardLines)}
	commandtest.Post(t, s, "tape events", "text/event-stream", []byte(commandtest.AwkwardEvents))
	sessions["tape events"] = commandtest.Playable{Accept: "sse", Want: []byte(commandtest.AwkwardEvents)}
	commandtest.GetThroughProxy(t, s, "tape proxied", commandtest.StreamingServer(t, "text/event-stream", []byte(commandtest.AwkwardEvents)), []byte(commandtest.AwkwardEvents))
	sessions["tape proxied"] = commandtest.Playable{Accept: "sse", Want: []byte(commandtest.AwkwardEvents)}
	capture := commandtest.ThinkingStream("msg_tape_facts")
	s.Must(t, "record", "--again", "--session", "tape facts", commandtest.TextFile(t, capture))
	sessions["tape facts"] = commandtest.Playable{Accept: "sse", Want: capture}
	s.Must(t, "redecode", "--dialect", "anthropic-messages", "tape facts")
	// One stream, whose frames belong to two sessions in turn.
	thread := func(id, text string) string {
		return `{"type":"thread.started","thread_id":"` + id + `"}` + "\n" + `{"type":"turn.started"}` + "\n" +
			`{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"` + text + `"}}` + "\n" +
			`{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":5}}` + "\n"
	}
	s.Must(t, "record", commandtest.TextFile(t, []byte(thread("tape-a", "one")+thread("tape-b", "two")+thread("tape-a", "three"))))
	sessions["tape-a"] = commandtest.Playable{Accept: "ndjson", Want: []byte(thread("tape-a", "one") + thread("tape-a", "three"))}
	sessions["tape-b"] = commandtest.Playable{Accept: "ndjson", Want: []byte(thread("tape-b", "two"))}
	var ids []string
	for id := range sessions {
		ids = append(ids, id)
		bounded.Until(t, "the end of "+id, func() bool {
			status, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(id))
			return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
		})
	}
	before := map[string]map[string]string{}
	for _, id := range ids {
		before[id] = commandtest.Views(t, s, id)
	}
	path := filepath.Join(dir, "all.tape")
	s.Must(t, append([]string{"export", "-o", path}, ids...)...)
	twice := filepath.Join(dir, "twice.tape")
	for _, again := range []string{ids[0], path} {
		_, stderr, exit := s.Run(t, "export", "-o", twice, ids[0], again)
		if _, err := os.Stat(twice); exit != commandtest.ExitUsage || !strings.Contains(stderr, "to be written twice") || !os.IsNotExist(err) {
			t.Errorf("export of %s and %s: exit %d, %s, %v", ids[0], again, exit, stderr, err)
		}
	}
	if _, _, exit := s.Run(t, "export", "-o", path, ids[0]); exit != commandtest.ExitFailed {
		t.Errorf("a file that is there was written over: exit %d", exit)
	}

	other, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = other.Stop() })
	for range 2 {
		other.Must(t, "import", path)
		s.Must(t, "import", path)
	}
	for _, id := range ids {
		commandtest.SameViews(t, "on the other server "+id, commandtest.Views(t, other, id), before[id])
		commandtest.SameViews(t, "back where it comes from "+id, commandtest.Views(t, s, id), before[id])
	}
	if _, usage, _ := other.Get(t, "/v1/usage?group_by=session"); !bytes.Contains(usage, []byte(`"tape facts"`)) {
		t.Errorf("no usage came along: %s", usage)
	}

	// Without a server.
	nowhere := &commandtest.Instance{URL: "http://127.0.0.1:1", Dir: s.Dir}
	for id, r := range sessions {
		if out := nowhere.Must(t, "play", path, "--session", id, "--format", r.Accept, "--speed", "max"); out != string(r.Want) {
			t.Errorf("play of the file returns of %s\n%q\nwant\n%q", id, out, r.Want)
		}
		events := nowhere.Must(t, "play", path, "--session", id, "--json", "--speed", "max")
		if want := s.Must(t, "play", id, "--json", "--speed", "max"); events != want {
			t.Errorf("events of %s from the file\n%.2000s\nfrom the server\n%.2000s", id, events, want)
		}
		if out := nowhere.Must(t, "export", path, "--session", id, "--format", r.Accept); out != string(r.Want) {
			t.Errorf("export --format %s of %s writes\n%q", r.Accept, id, out)
		}
	}
	if out, _, exit := nowhere.Run(t, "play", path); exit != commandtest.ExitUsage {
		t.Errorf("play of a file with several sessions: exit %d\n%s", exit, out)
	}
	if out := nowhere.Must(t, "import", "--check", path); !strings.Contains(out, "holds 6 sessions") {
		t.Errorf("import --check says\n%s", out)
	}
	copied := filepath.Join(dir, "copy.tape")
	nowhere.Must(t, "export", path, "-o", copied)
	one, _ := os.ReadFile(path)
	two, _ := os.ReadFile(copied)
	if len(one) == 0 || !bytes.Equal(one, two) {
		t.Errorf("a copy has %d bytes, the file %d", len(two), len(one))
	}
}

// A file that was cut is played, checked and imported up to the break, and it is
// said how far that is. What is missing is there once the whole file comes.
func TestCutTape(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	var lines strings.Builder
	for i := range 9000 {
		lines.WriteString(`{"n":` + string(rune('0'+i%10)) + `,"text":"` + strings.Repeat("x", i%40) + `"}` + "\n")
	}
	s.Must(t, "record", "--session", "cut-tape", commandtest.TextFile(t, []byte(lines.String())))
	path := filepath.Join(t.TempDir(), "whole.tape")
	s.Must(t, "export", "cut-tape", "-o", path)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.tape")
	if err := os.WriteFile(cut, content[:len(content)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := &commandtest.Instance{URL: "http://127.0.0.1:1", Dir: s.Dir}
	out, stderr, exit := nowhere.Run(t, "play", cut, "--format", "ndjson", "--speed", "max")
	if exit != 0 || out == "" || !strings.HasPrefix(lines.String(), out) || !strings.Contains(stderr, "ends early") {
		t.Errorf("exit %d, %d bytes came\n%s", exit, len(out), stderr)
	}
	if _, stderr, exit := nowhere.Run(t, "import", "--check", cut); exit != commandtest.ExitFailed || !strings.Contains(stderr, "readable up to there") {
		t.Errorf("import --check of a cut file: exit %d\n%s", exit, stderr)
	}
	whole := filepath.Join(t.TempDir(), "made-whole.tape")
	if _, stderr, exit := nowhere.Run(t, "export", cut, "-o", whole); exit != commandtest.ExitFailed || !strings.Contains(stderr, "tapedeck import "+cut) {
		t.Errorf("export of a cut file: exit %d\n%s", exit, stderr)
	}
	for _, format := range []string{"har", "asciicast", "otlp", "trace", "atif"} { // would be a part that looks like the whole
		if out, stderr, exit := nowhere.Run(t, "export", cut, "--format", format); exit != commandtest.ExitFailed || out != "" || !strings.Contains(stderr, "ends early") {
			t.Errorf("export --format %s of a cut file: exit %d, %s\n%s", format, exit, stderr, out)
		}
	}
	if _, stderr, exit := s.Run(t, "show", path); exit != commandtest.ExitFailed || !strings.Contains(stderr, "tapedeck import "+path) {
		t.Errorf("show of a tape file: exit %d\n%s", exit, stderr)
	}
	plain := commandtest.TextFile(t, []byte("{}\n"))
	for command, args := range map[string][]string{"show": nil, "play": nil, "frames": nil, "export": {"-o", "-"}} {
		if _, stderr, exit := s.Run(t, append([]string{command, plain}, args...)...); exit != commandtest.ExitFailed || !strings.Contains(stderr, "tapedeck record "+plain) {
			t.Errorf("%s of a file that is no tape: exit %d\n%s", command, exit, stderr)
		}
	}
	status, _, _ := s.Delete(t, "/v1/sessions/cut-tape")
	if status/100 != 2 {
		t.Fatalf("delete: %d", status)
	}
	if _, stderr, exit := s.Run(t, "import", "--session", "cut-copy", cut); exit != commandtest.ExitFailed || !strings.Contains(stderr, "redecode") {
		t.Errorf("import of a cut file: exit %d\n%s", exit, stderr)
	}
	if got := s.Must(t, "play", "cut-copy", "--format", "ndjson", "--speed", "max"); got != out {
		t.Errorf("%d bytes are there of the cut file, want %d", len(got), len(out))
	}
	s.Must(t, "import", "--session", "cut-copy", path)
	if got := s.Must(t, "play", "cut-copy", "--format", "ndjson", "--speed", "max"); got != lines.String() {
		t.Errorf("%d bytes are there of the whole file, want %d", len(got), lines.Len())
	}
	flipped := bytes.Clone(content)
	flipped[len(flipped)/2] ^= 4
	if err := os.WriteFile(cut, flipped, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := nowhere.Run(t, "play", cut, "--format", "ndjson", "--speed", "max"); exit != commandtest.ExitFailed || !strings.Contains(stderr, "damaged") {
		t.Errorf("play of a damaged file: exit %d\n%s", exit, stderr)
	}
}

// The formats of other tools can be read by them.
func TestExportFormats(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	commandtest.GetThroughProxy(t, s, "tape-har", commandtest.StreamingServer(t, "text/event-stream", []byte("data: {\"a\":1}\n\n")), []byte("data: {\"a\":1}\n\n"))
	bounded.Until(t, "the end of the exchange", func() bool {
		status, body, _ := s.Get(t, "/v1/sessions/tape-har")
		return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
	})
	var archive struct {
		Log struct {
			Version string
			Entries []struct {
				Request  struct{ Method, URL string }
				Response struct {
					Status  int
					Content struct{ Text, MimeType string }
				}
				Timings struct{ Send, Wait, Receive float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(s.Must(t, "export", "tape-har", "--format", "har")), &archive); err != nil {
		t.Fatal(err)
	}
	if e := archive.Log.Entries; archive.Log.Version != "1.2" || len(e) != 1 || e[0].Request.Method != "GET" ||
		!strings.HasSuffix(e[0].Request.URL, "/stream?x=1") || e[0].Response.Status != 200 ||
		e[0].Response.Content.Text != "data: {\"a\":1}\n\n" || e[0].Response.Content.MimeType != "text/event-stream" {
		t.Errorf("archive %+v", archive)
	}
	s.Must(t, "record", "--again", "--session", "tape-cast", commandtest.TextFile(t, commandtest.ThinkingStream("msg_tape_cast")))
	cast := s.Must(t, "export", "tape-cast", "--format", "asciicast")
	lines := strings.Split(strings.TrimSpace(cast), "\n")
	var head struct{ Version, Width, Height int }
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil || head.Version != 2 || head.Width == 0 || head.Height == 0 {
		t.Errorf("the head is %s (%v)", lines[0], err)
	}
	last := -1.0
	for _, line := range lines[1:] {
		var event []any
		if err := json.Unmarshal([]byte(line), &event); err != nil || len(event) != 3 || event[1] != "o" || event[0].(float64) < last {
			t.Fatalf("event %s (%v)", line, err)
		}
		last = event[0].(float64)
	}
	if len(lines) < 3 {
		t.Errorf("the cast is\n%s", cast)
	}
}
