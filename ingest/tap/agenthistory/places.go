package agenthistory

import "path/filepath"

// places returns the folders in which the agents of this machine keep sessions. getenv is
// os.Getenv; home is the user's home directory.
func places(home string, getenv func(string) string) []place {
	config := getenv("CLAUDE_CONFIG_DIR")
	var claude []string
	if config != "" {
		claude = []string{config}
	} else {
		claude = []string{filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")}
	}
	// first returns the value of the first variable that is set, else a folder of the home directory.
	first := func(folder string, variables ...string) string {
		for _, name := range variables {
			if dir := getenv(name); dir != "" {
				return expand(dir, home)
			}
		}
		return filepath.Join(home, folder)
	}
	codex := first(".codex", "CODEX_HOME")
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	var list []place
	for _, dir := range claude {
		list = append(list, place{filepath.Join(dir, "projects"), ClaudeCode})
	}
	goose := []string{filepath.Join(data, "goose"), filepath.Join(data, "Block", "goose"), filepath.Join(home, "Library", "Application Support", "goose")}
	if root := getenv("GOOSE_PATH_ROOT"); root != "" {
		goose = []string{filepath.Join(expand(root, home), "data")}
	}
	for _, dir := range goose {
		list = append(list, place{filepath.Join(dir, "sessions", "sessions.db"), Goose})
	}
	return append(list,
		place{filepath.Join(codex, "sessions"), Codex},
		place{filepath.Join(codex, "archived_sessions"), Codex},
		place{filepath.Join(home, ".gemini", "tmp"), GeminiCLI},
		place{filepath.Join(data, "opencode", "opencode.db"), OpenCode}, // precedes the storage folder: see finder.storage
		place{filepath.Join(data, "opencode", "storage"), OpenCode},
		place{filepath.Join(first(".qwen", "QWEN_RUNTIME_DIR", "QWEN_HOME"), "projects"), QwenCode},
		place{filepath.Join(first(".kimi", "KIMI_SHARE_DIR"), "sessions"), KimiCLI},
		place{filepath.Join(first(".kimi-code", "KIMI_CODE_HOME"), "sessions"), KimiCode},
		place{filepath.Join(first(".copilot", "COPILOT_HOME"), "session-state"), CopilotCLI},
		place{filepath.Join(home, ".factory", "sessions"), Droid},
		place{filepath.Join(first(filepath.Join(".pi", "agent"), "PI_CODING_AGENT_DIR"), "sessions"), Pi},
		place{filepath.Join(first(".openclaw", "OPENCLAW_STATE_DIR"), "agents"), OpenClaw},
		place{filepath.Join(data, "amp", "threads"), Amp},
		place{filepath.Join(data, "kilo", "kilo.db"), Kilo},
		place{filepath.Join(data, "kilo", "storage"), Kilo},
		place{filepath.Join(home, ".clawdbot", "agents"), OpenClaw}, // its earlier names
		place{filepath.Join(home, ".moltbot", "agents"), OpenClaw},
	)
}

// expand replaces a leading ~ of a folder that a variable names by the home directory.
func expand(dir, home string) string {
	if dir == "~" || len(dir) > 1 && dir[:2] == "~/" {
		return filepath.Join(home, dir[1:])
	}
	return dir
}
