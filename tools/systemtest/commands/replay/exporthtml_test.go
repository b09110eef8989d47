package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/ascii85"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A file with a session holds the answers that the server gives of it, without its tags and source.
func TestExportHTML(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--again", "--session", "html lines", "--tag", "a=b", commandtest.TextFile(t, []byte(commandtest.AwkwardLines)))
	commandtest.GetThroughProxy(t, s, "html proxied", commandtest.StreamingServer(t, "text/event-stream", []byte(commandtest.AwkwardEvents)), []byte(commandtest.AwkwardEvents))
	commandtest.Post(t, s, "html model", "text/event-stream", commandtest.ThinkingStream("msg_html"))
	dir := t.TempDir()
	for _, id := range []string{"html lines", "html proxied", "html model"} {
		bounded.Until(t, "the end of "+id, func() bool {
			d := s.Session(t, id)
			return len(d.Streams) > 0 && d.Streams[0].Ended != nil && !d.Status.Open()
		})
		tape, file := filepath.Join(dir, id+".tape"), filepath.Join(dir, id+".html")
		s.Must(t, "export", id, "-o", tape)
		if _, stderr, exit := commandtest.Alone(t, "export", tape, "--format", "html", "-o", file); exit != 0 {
			t.Fatalf("%s: exit %d, %s", id, exit, stderr)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(template(t, file, "recording")), &got); err != nil {
			t.Fatal(err)
		}
		path := "/v1/sessions/" + url.PathEscape(id)
		session := answerOf(t, s, path).(map[string]any)
		session["tags"] = map[string]any{}
		for _, stream := range session["streams"].([]any) {
			stream.(map[string]any)["tags"], stream.(map[string]any)["source"] = map[string]any{}, ""
		}
		var frames []any
		for _, f := range answerOf(t, s, path+"/frames?limit=5000").(map[string]any)["items"].([]any) {
			frames = append(frames, answerOf(t, s, path+"/frames/"+f.(map[string]any)["position"].(string)))
		}
		for name, want := range map[string]any{
			"session": session, "timeline": answerOf(t, s, path+"/timeline"), "density": answerOf(t, s, path+"/density?slices=1000"),
			"transcript": answerOf(t, s, path+"/transcript?chunks=1&limit=5000").(map[string]any)["items"], "frames": frames,
		} {
			if d := cmp.Diff(want, got[name]); d != "" {
				t.Errorf("%s: %s (- server, + file):\n%s", id, name, d)
			}
		}
	}
}

// Secrets are masked in all that a file holds, its title too. What the file shows is escaped.
func TestExportHTMLMasks(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + "q7Xw2Lk9Tz4Vb8Nc3Hs6Jd1Fg5Rm0Py2Ae7U"
	s := commandtest.Shared(t)
	lines := `{"type":"system","subtype":"init","session_id":"html-secret","model":"m","tools":[],"uuid":"u1"}
{"type":"user","session_id":"html-secret","uuid":"u2","message":{"role":"user","content":"</title><script>alert(1)</script> use ` + secret + ` now"}}
{"type":"result","subtype":"success","session_id":"html-secret","is_error":false,"result":"I used ` + secret + `.","duration_ms":5,"num_turns":1}
`
	s.Must(t, "record", "--no-redact", "--session", "html-secret", commandtest.TextFile(t, []byte(lines)))
	file := filepath.Join(t.TempDir(), "secret.html")
	s.Must(t, "export", "html-secret", "--format", "html", "-o", file)
	if plain := s.Must(t, "export", "html-secret", "--format", "ndjson"); !strings.Contains(plain, secret) {
		t.Fatalf("the recording itself is masked:\n%s", plain)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	recording := template(t, file, "recording")
	if strings.Contains(string(whole), secret) || strings.Contains(recording, secret) {
		t.Errorf("the file holds the secret:\n%s", recording)
	}
	var held struct {
		Frames []struct {
			Raw []byte `json:"raw"`
		} `json:"frames"`
	}
	if err := json.Unmarshal([]byte(recording), &held); err != nil || len(held.Frames) != 3 {
		t.Errorf("%d frames, %v", len(held.Frames), err)
	}
	for i, f := range held.Frames {
		if bytes.Contains(f.Raw, []byte(secret)) {
			t.Errorf("frame %d: %s", i, f.Raw)
		}
	}
	if !strings.Contains(recording, " now") || strings.Contains(string(whole), "<script>alert") || !strings.Contains(string(whole), "&lt;script&gt;") {
		t.Error("the title is not escaped, or the message is not there")
	}
}

// template returns the text of a template element of a file.
func template(t *testing.T, file, id string) string {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`<template id="` + id + `">([^<]*)</template>`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("%s has no %s", file, id)
	}
	digits := strings.NewReplacer("v", "<", "w", "&").Replace(string(m[1]))
	r, err := gzip.NewReader(ascii85.NewDecoder(strings.NewReader(digits)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func answerOf(t *testing.T, s *commandtest.Instance, path string) (answer any) {
	t.Helper()
	s.ReadJSON(t, path, &answer)
	return answer
}
