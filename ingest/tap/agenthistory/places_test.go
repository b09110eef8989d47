package agenthistory

import (
	"slices"
	"testing"
)

// Variables of the agents name other folders, ~ is the home directory, and an agent may have several.
func TestPlaces(t *testing.T) {
	for _, test := range []struct {
		name, value string
		agent       Agent
		want        []string
	}{
		{"", "", QwenCode, []string{"/h/.qwen/projects"}},
		{"QWEN_HOME", "/q", QwenCode, []string{"/q/projects"}},
		{"QWEN_RUNTIME_DIR", "~/q", QwenCode, []string{"/h/q/projects"}},
		{"", "", KimiCLI, []string{"/h/.kimi/sessions"}},
		{"KIMI_SHARE_DIR", "/k", KimiCLI, []string{"/k/sessions"}},
		{"", "", KimiCode, []string{"/h/.kimi-code/sessions"}},
		{"KIMI_CODE_HOME", "/k", KimiCode, []string{"/k/sessions"}},
		{"", "", CopilotCLI, []string{"/h/.copilot/session-state"}},
		{"COPILOT_HOME", "/c", CopilotCLI, []string{"/c/session-state"}},
		{"", "", Droid, []string{"/h/.factory/sessions"}},
		{"", "", Pi, []string{"/h/.pi/agent/sessions"}},
		{"PI_CODING_AGENT_DIR", "/p", Pi, []string{"/p/sessions"}},
		{"", "", OpenClaw, []string{"/h/.openclaw/agents", "/h/.clawdbot/agents", "/h/.moltbot/agents"}},
		{"OPENCLAW_STATE_DIR", "/o", OpenClaw, []string{"/o/agents", "/h/.clawdbot/agents", "/h/.moltbot/agents"}},
		{"", "", Amp, []string{"/h/.local/share/amp/threads"}},
		{"XDG_DATA_HOME", "/d", Amp, []string{"/d/amp/threads"}},
		{"XDG_DATA_HOME", "relative", Amp, []string{"/h/.local/share/amp/threads"}},
		{"XDG_DATA_HOME", "/d", Kilo, []string{"/d/kilo/kilo.db", "/d/kilo/storage"}},
		{"GOOSE_PATH_ROOT", "/g", Goose, []string{"/g/data/sessions/sessions.db"}},
		{"CODEX_HOME", "/x", Codex, []string{"/x/sessions", "/x/archived_sessions"}},
	} {
		var got []string
		for _, p := range places("/h", func(name string) string {
			if name == test.name {
				return test.value
			}
			return ""
		}) {
			if p.agent == test.agent {
				got = append(got, p.dir)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s with %s=%s: %q, want %q", test.agent, test.name, test.value, got, test.want)
		}
	}
}
