package agenthistory

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tapedeck/schema"
)

// lineHomes has a file of each agent that keeps lines, with what its lines state by hand.
var lineHomes = []struct {
	agent   Agent
	path    string // below the home directory
	lines   string // a case of the agent's dialect, below ingest/dialect
	session string
	project string
	tokens  schema.Tokens
}{
	{
		agent: QwenCode, path: ".qwen/projects/-w/chats/q-1.jsonl", lines: "mappings/testdata/qwen-code/cases/turns.txtar",
		session: "q-1", project: "/w",
		tokens: schema.Tokens{Input: 100 + 100 + 1200 + 1300, CacheRead: 900 + 1000, Output: 40 + 8 + 3 + 9, Reasoning: 10 + 40},
	},
	{
		agent: KimiCLI, path: ".kimi/sessions/1cce3e60ac2d51100ef178d6509a4972/k-1/wire.jsonl", lines: "mappings/testdata/kimi-cli/cases/turns.txtar",
		session: "k-1", project: "/w",
		tokens: schema.Tokens{Input: 300 + 60 + 500, CacheRead: 1000 + 1300, CacheWrite5m: 20, Output: 50 + 8 + 5},
	},
	{
		agent: KimiCode, path: ".kimi-code/sessions/wd_w_0a1b/k-1/agents/main/wire.jsonl", lines: "mappings/testdata/kimi-code/cases/turns.txtar",
		session: "k-1", project: "/w",
		tokens: schema.Tokens{Input: 300 + 40 + 60, CacheRead: 1000 + 1300, CacheWrite5m: 20, Output: 50 + 4 + 8},
	},
	{
		agent: CopilotCLI, path: ".copilot/session-state/c-1/events.jsonl", lines: "mappings/testdata/copilot-cli/cases/turns.txtar",
		session: "c-1", project: "/w",
		tokens: schema.Tokens{Input: 4 + 500 + 1000, CacheRead: 35495 + 35000, CacheWrite5m: 35783, Output: 58 + 5 + 9, Reasoning: 15},
	},
	{
		agent: Droid, path: ".factory/sessions/-w/d-1.jsonl", lines: "mappings/testdata/droid/cases/turns.txtar",
		session: "d-1", project: "/w",
	},
	{
		agent: Pi, path: ".pi/agent/sessions/--w--/2026_s-1.jsonl", lines: "pi/testdata/cases/file.txtar",
		session: "s-2", project: "/w",
		tokens: schema.Tokens{Input: 3 + 5 + 4 + 200 + 2 + 2, CacheRead: 168, CacheWrite5m: 168, Output: 19 + 1 + 5 + 20 + 2 + 2},
	},
	{
		agent: OpenClaw, path: ".openclaw/agents/main/sessions/s-1.jsonl", lines: "pi/testdata/cases/file.txtar",
		session: "s-2", project: "/w",
		tokens: schema.Tokens{Input: 3 + 5 + 4 + 200 + 2 + 2, CacheRead: 168, CacheWrite5m: 168, Output: 19 + 1 + 5 + 20 + 2 + 2},
	},
}

// caseLines returns the lines of a case of a dialect.
func caseLines(t *testing.T, name string) []string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "dialect", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range archive.Files {
		for line := range strings.Lines(string(f.Data)) {
			if _, text, ok := strings.Cut(line, " recv "); ok && f.Name == "frames" {
				lines = append(lines, text)
			}
		}
	}
	return lines
}

// atHome runs a sync of the agents' folders in the machine's home directory.
func (m *machine) atHome(t *testing.T) *Result {
	t.Helper()
	t.Setenv("HOME", m.dir)
	for _, name := range []string{
		"XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "QWEN_RUNTIME_DIR", "QWEN_HOME", "KIMI_SHARE_DIR", "KIMI_CODE_HOME", "COPILOT_HOME",
		"PI_CODING_AGENT_DIR", "OPENCLAW_STATE_DIR", "GOOSE_PATH_ROOT",
	} {
		t.Setenv(name, "")
	}
	m.open()
	y := m.syncer()
	y.From = nil
	res, err := y.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// tokens returns the sum of the tokens that were stored.
func (s *stored) tokens() (sum schema.Tokens) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.usages {
		sum.Input += u.Tokens.Input
		sum.CacheRead += u.Tokens.CacheRead
		sum.CacheWrite5m += u.Tokens.CacheWrite5m
		sum.CacheWrite1h += u.Tokens.CacheWrite1h
		sum.Output += u.Tokens.Output
		sum.Reasoning += u.Tokens.Reasoning
	}
	return sum
}

// raw returns the bytes of the only stream.
func (s *stored) raw(t *testing.T) []byte {
	t.Helper()
	if len(s.frames) != 1 {
		t.Fatalf("%d streams, want 1", len(s.frames))
	}
	var all []byte
	for _, of := range s.frames {
		for i := range uint64(len(of)) {
			f := of[i]
			all = append(all, f.Raw...)
		}
	}
	return all
}

// A file of each agent is found in its home and by its content, grows, and is recorded once, without
// an unterminated line.
func TestLineHomes(t *testing.T) {
	for _, home := range lineHomes {
		t.Run(string(home.agent), func(t *testing.T) {
			m, lines := newMachine(t), caseLines(t, home.lines)
			all := strings.Join(lines, "")
			half := len(all) - len(lines[len(lines)-1])/2
			m.write(".kimi/kimi.json", `{"work_dirs":[{"path":"/v"},{"path":"/w"}]}`)
			m.write(".kimi-code/sessions/wd_w_0a1b/k-1/state.json", `{"title":"x","workDir":"/w"}`)
			path := m.write(home.path, all[:half])
			if res := m.atHome(t); res.Recorded != 1 || res.Waiting != 1 || len(res.Problems) != 0 || res.Agents[home.agent] != 1 {
				t.Fatalf("first run: %+v", res)
			}
			if err := os.WriteFile(path, []byte(all), 0o600); err != nil {
				t.Fatal(err)
			}
			if res := m.atHome(t); res.Recorded != 1 || res.Frames != 1 {
				t.Errorf("after the file has grown: %+v", res)
			}
			if res := m.atHome(t); res.Recorded != 0 || res.States[StateStored] != 1 {
				t.Errorf("nothing new: %+v", res)
			}
			if !bytes.Equal(m.stored.raw(t), []byte(all)) {
				t.Error("the bytes differ")
			}
			if got := m.stored.tokens(); got != home.tokens {
				t.Errorf("tokens %+v, want %+v", got, home.tokens)
			}
			found, err := Find([]string{path})
			if err != nil {
				t.Fatal(err)
			}
			NewProgress().Plan(found)
			s := found.Sources[0]
			if same := s.Agent == home.agent || home.agent == OpenClaw && s.Agent == Pi; !same || s.State != StateNew {
				t.Errorf("by its content it is %q of %q", s.State, s.Agent)
			}
			if s.Session != home.session || s.Project != home.project {
				t.Errorf("session %q, project %q", s.Session, s.Project)
			}
		})
	}
}

// The lines of a file that are copied to the file of another session count once.
func TestCopiedLines(t *testing.T) {
	for _, home := range lineHomes {
		t.Run(string(home.agent), func(t *testing.T) {
			m, lines := newMachine(t), caseLines(t, home.lines)
			all := strings.Join(lines, "")
			m.write(home.path, all)
			m.atHome(t)
			before := m.stored.tokens()
			other := strings.NewReplacer("q-1", "q-2", "k-1", "k-2", "c-1", "c-2", "d-1", "d-2", "s-1.", "s-2.")
			head := strings.NewReplacer(`"q-1"`, `"q-2"`, `"c-1"`, `"c-2"`, `"d-1"`, `"d-2"`, `"id":"s-1"`, `"id":"s-2"`)
			m.write(other.Replace(home.path), head.Replace(all))
			m.atHome(t)
			if after := m.stored.tokens(); after != before {
				t.Errorf("tokens %+v, before the copy %+v", after, before)
			}
		})
	}
}

// A file of a version that is not known is recorded to the byte, and named once.
func TestUnknownVersion(t *testing.T) {
	for name, text := range map[string]string{
		".copilot/session-state/c-1/events.jsonl": `{"type":"session.start","data":{"sessionId":"c-1","version":7,"copilotVersion":"9.0.0"},"id":"e","timestamp":"2026-01-01T00:00:00Z","parentId":null}` + "\n",
		".qwen/projects/-w/chats/q-1.jsonl":       `{"record":{"kind":"turn"},"at":1767225600000}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(name, text)
			res := m.atHome(t)
			if res.Recorded != 1 || res.Failed != 0 || len(res.Problems) != 1 || !strings.Contains(res.Problems[0].Reason, "does not know") {
				t.Errorf("%+v", res)
			}
			if string(m.stored.raw(t)) != text {
				t.Error("the bytes differ")
			}
			if res := m.atHome(t); res.Recorded != 0 || len(res.Problems) != 0 {
				t.Errorf("again: %+v", res)
			}
		})
	}
}

// Files of an unknown format that have the same name are sessions of their own.
func TestUnknownLines(t *testing.T) {
	m := newMachine(t)
	for _, name := range []string{".kimi/sessions/f/k-1/wire.jsonl", ".kimi/sessions/f/k-2/wire.jsonl", ".kimi-code/sessions/f/k-3/agents/main/wire.jsonl", ".kimi-code/sessions/f/k-4/agents/main/wire.jsonl", ".copilot/session-state/c-1/events.jsonl", ".copilot/session-state/c-2.jsonl"} {
		m.write(name, `{"other":"`+name+`"}`+"\n")
	}
	if res := m.atHome(t); res.Recorded != 6 || res.Failed != 0 {
		t.Errorf("%+v", res)
	}
	var sessions []string
	for _, e := range m.progress.paths {
		sessions = append(sessions, e.Session)
	}
	slices.Sort(sessions)
	if want := []string{"c-1", "c-2", "k-1", "k-2", "k-3", "k-4"}; !slices.Equal(sessions, want) {
		t.Errorf("sessions %v", sessions)
	}
}
