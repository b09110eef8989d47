package agenthistory

import (
	"path/filepath"
)

// Agent is the name of a coding agent whose session files are read.
type Agent string

// The agents whose files are read.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	GeminiCLI  Agent = "gemini-cli"
	OpenCode   Agent = "opencode"
)

// dialects maps each agent to the dialect of its files.
var dialects = map[Agent]string{
	ClaudeCode: "claude-code", Codex: "codex-rollout", GeminiCLI: "gemini-cli-chat", OpenCode: "opencode",
}

// place is a folder to search, or a single file. agent is "" if the content of each file decides
// which agent wrote it.
type place struct {
	dir   string
	agent Agent
}

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
	codex := getenv("CODEX_HOME")
	if codex == "" {
		codex = filepath.Join(home, ".codex")
	}
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	var list []place
	for _, dir := range claude {
		list = append(list, place{filepath.Join(dir, "projects"), ClaudeCode})
	}
	return append(list,
		place{filepath.Join(codex, "sessions"), Codex},
		place{filepath.Join(codex, "archived_sessions"), Codex},
		place{filepath.Join(home, ".gemini", "tmp"), GeminiCLI},
		place{filepath.Join(data, "opencode", "opencode.db"), OpenCode}, // precedes the storage folder: see finder.storage
		place{filepath.Join(data, "opencode", "storage"), OpenCode},
	)
}
