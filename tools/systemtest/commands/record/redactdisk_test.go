package record

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/ingest/redact"
	"tapedeck/ingest/redact/redacttest"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// secretsOf makes one secret of each rule for each way that it is recorded in.
type secretsOf struct {
	markers *markers
	ways    uint64
	count   int
}

// way is one way to record; rules has a text with a secret of each rule.
func (s *secretsOf) way(name string) (texts []string) {
	s.ways++
	for i, rule := range redact.Rules() {
		text, random := redacttest.Parts(rule.Example, 1000*s.ways+uint64(i))
		longest := ""
		for _, part := range random {
			if len(part) > len(longest) {
				longest = part
			}
		}
		at := (len(longest) - 12) / 2
		s.markers.add(name+" "+rule.ID, longest[at:at+12])
		s.markers.add(name+" "+rule.ID+", escaped", escapedJSON(longest[at:at+12]))
		s.count++
		texts = append(texts, "use "+text+" now")
	}
	return texts
}

// chunks has each text in two deltas of a message of its own, cut at a share of it, and more
// behind it.
func chunks(texts []string, share float64, encode func(string) string) string {
	var b strings.Builder
	for i, text := range texts {
		at := int(share * float64(len(text)))
		for _, part := range []string{text[:at], text[at:], " and more"} {
			fmt.Fprintf(&b, `{"session_id":"x","node_id":"n%d","type":"message_chunk","content":"%s","id":"m%d"}`+"\n", i, encode(part), i)
		}
	}
	return b.String()
}

func plainJSON(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted[1 : len(quoted)-1])
}

// Secrets of every rule that are recorded in every way are in no file: not in ClickHouse, in
// JetStream, in a spool, a tape or a log.
func TestNoSecretOnDisk(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	home := t.TempDir()
	s, err := commandtest.StartUp(t, filepath.Join(home, "data"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := &secretsOf{markers: newMarkers()}
	logs := ""
	must := func(args ...string) {
		t.Helper()
		out, diag, exit := s.Run(t, args...)
		if logs += out + diag; exit != 0 {
			t.Fatalf("tapedeck %s: exit %d: %s", args[0], exit, diag)
		}
	}
	file := func(content string) string { // beside what is looked at
		path := filepath.Join(t.TempDir(), "frames")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}

	control := "control-8fK2pQz7Lm4Xw9Rt"
	secrets.markers.add("control", control[len("control-"):]) // compression writes random text as it is
	must("record", "--no-redact", "--session", "control", file(chunks([]string{control}, 1, plainJSON)))
	for _, share := range []float64{0.3, 0.5, 0.8} {
		id := fmt.Sprint("cut at ", share)
		must("record", "--session", id, file(chunks(secrets.way(id), share, plainJSON)))
	}
	must("record", "--session", "escaped", file(chunks(secrets.way("escaped"), 0.5, escapedJSON)))
	commandtest.Post(t, s, "posted", "application/x-ndjson", []byte(chunks(secrets.way("posted"), 0.6, plainJSON)))
	named := filepath.Join(t.TempDir(), "dump-"+secrets.way("file name")[0]+".jsonl")
	if err := os.WriteFile(named, []byte(`{"a":1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must("record", "--session", "named", named)
	must(append([]string{"record", "--session", "command", "--", "sh", "-c", `cat "$0"`, file(`{"a":1}` + "\n")}, command(secrets.way("arguments"))...)...)

	t.Setenv("DISK_TEST_SECRET", "correct-horse/battery+7 "+strings.Repeat("Zk4", 4))
	declared := os.Getenv("DISK_TEST_SECRET")
	secrets.markers.add("declared", declared[:16])
	secrets.markers.add("declared, base64", base64.StdEncoding.EncodeToString([]byte(declared))[:20])
	must("record", "--secret-env", "DISK_TEST_SECRET", "--session", "declared", file(chunks([]string{
		declared, base64.StdEncoding.EncodeToString([]byte(declared + "!!")), base64.URLEncoding.EncodeToString([]byte("ab" + declared)),
	}, 0.5, plainJSON)))

	lines := chunks(secrets.way("websocket"), 0.4, plainJSON)
	ws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		for line := range strings.Lines(lines) {
			if c.Write(r.Context(), websocket.MessageText, []byte(line)) != nil {
				return
			}
		}
		_ = c.Close(websocket.StatusNormalClosure, "")
	}))
	defer ws.Close()
	must("record", "--session", "websocket", "--ws", ws.URL)
	throughProxy(t, s, secrets)
	logs += throughNATS(t, s, secrets)

	tape := filepath.Join(home, "session.tape")
	must("export", "escaped", "-o", tape)
	if out := s.Must(t, "redact", "--dry-run", tape); !strings.Contains(out, "no secrets") {
		t.Errorf("the tape: %s", out)
	}
	late := "gh" + "p_" + "Zx8Kq2Vn5Bt7Lw3Rd9Yf4Hj6Pm1Sc0Gk8Xa2Q"[:36]
	secrets.markers.add("masked later", late[4:24])
	must("record", "--no-redact", "--session", "later", file(chunks([]string{late}, 1, plainJSON)))
	before := secrets.markers.scan(t, home)
	for _, name := range []string{"control", "masked later"} {
		if places := strings.Join(before[name], " "); !strings.Contains(places, "/clickhouse/") || !strings.Contains(places, ".blk") {
			t.Errorf("what is not masked (%s) was found in %q alone: this shows nothing", name, places)
		}
	}
	must("redact", "later")
	if out := s.Must(t, "redact", "--dry-run", "cut at 0.5"); !strings.Contains(out, "no secrets") {
		t.Errorf("the session: %s", out)
	}
	if _, err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	found := secrets.markers.scan(t, home)
	secrets.markers.in([]byte(logs+s.Log.String()), func(name string) { found[name] = append(found[name], "a log") })
	delete(found, "control")
	for _, place := range found["masked later"] {
		if !strings.Contains(place, "/clickhouse/store/") { // where replaced files stay for some minutes
			t.Errorf("masked later: it is in %s", place)
		}
	}
	delete(found, "masked later")
	for name, files := range found {
		t.Errorf("%s: it is in %s", name, strings.Join(files, ", "))
	}
	t.Logf("%d secrets of %d rules", secrets.count, len(redact.Rules()))
}

// command leaves out what would end in an argument of its own for another reader.
func command(texts []string) (args []string) {
	for _, text := range texts {
		args = append(args, "--note="+strings.ReplaceAll(text, "\n", " "))
	}
	return args
}

// throughProxy records requests and answers that have secrets in heads and bodies. What the
// server and the client receive is what was sent.
func throughProxy(t *testing.T, s *commandtest.Instance, secrets *secretsOf) {
	t.Helper()
	heads, sent, answered := secrets.way("heads"), secrets.way("request"), secrets.way("gzip answer")
	request, _ := json.Marshal(map[string]any{"model": "m", "stream": true, "messages": []any{map[string]any{"role": "user", "content": strings.Join(sent, "\n")}}})
	var answer strings.Builder
	for _, text := range answered {
		for _, part := range []string{text[:len(text)/2], text[len(text)/2:], " and more"} {
			fmt.Fprintf(&answer, `data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}`+"\n\n", plainJSON(part))
		}
	}
	received := make(chan string, 1)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- r.Header.Get("X-Note-0") + string(body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("X-Note", header(heads[1]))
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, answer.String())
		_ = z.Close()
	}))
	defer up.Close()
	url, stop := commandtest.StartProxy(t, s, "proxied", up.URL)
	defer stop()
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, url+"/v1/chat/completions?note="+strings.Fields(heads[0])[1], strings.NewReader(string(request)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	for i, text := range heads {
		req.Header.Set(fmt.Sprint("X-Note-", i), header(text))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	z, err := gzip.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != answer.String() || resp.Header.Get("X-Note") != header(heads[1]) {
		t.Errorf("the client received something else than what was sent: %v", err)
	}
	if got := <-received; got != header(heads[0])+string(request) {
		t.Error("the server received something else than what was sent")
	}
}

// header returns a text on one line.
func header(text string) string { return strings.ReplaceAll(text, "\n", " ") }
