package record

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// transcript is a file of Claude Code of June 2026: turns with 100 output tokens each.
func transcript(session string, turns int) []byte {
	var text bytes.Buffer
	for i := range turns {
		at := fmt.Sprintf("2026-06-%02dT09:00:", i+1)
		fmt.Fprintf(&text, `{"parentUuid":null,"isSidechain":false,"userType":"external","version":"2.1.201","type":"user","sessionId":%q,"uuid":"%s-u%d","timestamp":"%s00.000Z","cwd":"/w","message":{"role":"user","content":"question %d"}}`+"\n",
			session, session, i, at, i)
		fmt.Fprintf(&text, `{"parentUuid":null,"isSidechain":false,"userType":"external","version":"2.1.201","type":"assistant","sessionId":%q,"uuid":"%s-a%d","timestamp":"%s05.000Z","requestId":"req_%s_%d","message":{"id":"msg_%s_%d","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{"type":"text","text":"answer %d"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":100}}}`+"\n",
			session, session, i, at, session, i, session, i, i)
	}
	return text.Bytes()
}

// A transcript is one recording with its own times, whoever reads it, and in which order.
func TestOneTranscript(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	const turns = 3
	for name, steps := range map[string][]string{
		"record":                    {"record FILE"},
		"record twice":              {"record FILE", "record --again FILE"},
		"record, then sync":         {"record FILE", "sync --from DIR"},
		"sync, then record":         {"sync --from DIR", "record FILE"},
		"sync, then record again":   {"sync --from DIR", "record --again FILE"},
		"arrival, then record":      {"record --clock arrival FILE", "record --again FILE"},
		"record, then arrival":      {"record FILE", "record --clock arrival --again FILE"},
		"arrival, then sync":        {"record --clock arrival FILE", "sync --from DIR"},
		"a folder, then sync":       {"record DIR", "sync --from DIR"},
		"standard input, then sync": {"record -", "sync --from DIR"},
		"upload, then sync":         {"POST", "sync --from DIR"},
		"sync, then upload":         {"sync --from DIR", "POST"},
		"upload, then record":       {"POST", "record FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			session := fmt.Sprintf("transcript-%x", sha256.Sum256([]byte(name)))[:30]
			dir := t.TempDir()
			path := filepath.Join(dir, session+".jsonl")
			if err := os.WriteFile(path, transcript(session, turns), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, step := range steps {
				if step == "POST" {
					r, err := http.Post(s.URL+fmt.Sprintf("/v1/ingest?clock=frame&digest=%x", sha256.Sum256(transcript(session, turns))), "application/x-ndjson", bytes.NewReader(transcript(session, turns)))
					if err != nil {
						t.Fatal(err)
					}
					r.Body.Close()
					if r.StatusCode != http.StatusOK && (r.StatusCode != http.StatusConflict || step == steps[0]) {
						t.Fatalf("POST: %s", r.Status)
					}
					commandtest.UntilEnded(t, s, session)
					continue
				}
				cmd := s.Command(t, strings.Fields(strings.NewReplacer("FILE", path, "DIR", dir).Replace(step))...)
				if strings.HasSuffix(step, " -") {
					cmd.Stdin = bytes.NewReader(transcript(session, turns))
				}
				if _, stderr, exit := commandtest.Finish(t, cmd); exit != 0 {
					t.Fatalf("%s: exit %d: %s", step, exit, stderr)
				}
				commandtest.UntilEnded(t, s, session)
			}
			messages := transcriptOf(t, s, session)
			want := "06-01 question 0, 06-01 answer 0, 06-02 question 1, 06-02 answer 1, 06-03 question 2, 06-03 answer 2"
			if strings.Join(messages, ", ") != want {
				t.Errorf("transcript %q", messages)
			}
			if calls := callsOf(t, s, session); strings.Join(calls, ", ") != "06-01 5000, 06-02 5000, 06-03 5000" {
				t.Errorf("calls of the model %q", calls)
			}
			var report struct {
				Items []struct {
					Period string `json:"period"`
					Calls  int    `json:"calls"`
					Tokens struct {
						Output int64 `json:"output"`
					} `json:"tokens"`
				} `json:"items"`
			}
			s.ReadJSON(t, "/v1/usage?granularity=day&timezone=UTC&q="+session+"&from=2026-01-01&to=2027-12-31", &report)
			var got []string
			for _, item := range report.Items {
				if item.Calls > 0 {
					got = append(got, fmt.Sprintf("%.10s %d %d", item.Period, item.Calls, item.Tokens.Output))
				}
			}
			if strings.Join(got, ", ") != "2026-06-01 1 100, 2026-06-02 1 100, 2026-06-03 1 100" {
				t.Errorf("usage %q", got)
			}
		})
	}
}

// transcriptOf returns the days and the texts of a session's messages.
func transcriptOf(t *testing.T, s *commandtest.Instance, session string) (texts []string) {
	t.Helper()
	var page struct {
		Items []struct {
			Started string `json:"started"`
			Text    string `json:"text"`
		} `json:"items"`
	}
	s.ReadJSON(t, "/v1/sessions/"+session+"/transcript", &page)
	for _, item := range page.Items {
		texts = append(texts, item.Started[5:10]+" "+item.Text)
	}
	return texts
}

// span is a span of a timeline.
type span struct {
	Kind       string  `json:"kind"`
	Started    string  `json:"started"`
	DurationMS float64 `json:"duration_ms"`
	Children   []span  `json:"children"`
}

// callsOf returns the days of a session's calls of a model, and how long they took, ms.
func callsOf(t *testing.T, s *commandtest.Instance, session string) (calls []string) {
	t.Helper()
	var timeline struct {
		Spans []span `json:"spans"`
	}
	s.ReadJSON(t, "/v1/sessions/"+session+"/timeline", &timeline)
	for _, run := range timeline.Spans {
		for _, call := range run.Children {
			calls = append(calls, fmt.Sprintf("%s %.0f", call.Started[5:10], call.DurationMS))
		}
	}
	return calls
}
