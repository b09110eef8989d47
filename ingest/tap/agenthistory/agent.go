package agenthistory

// Agent is the name of a coding agent whose session files are read.
type Agent string

// The agents whose files are read.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	GeminiCLI  Agent = "gemini-cli"
	OpenCode   Agent = "opencode"
	QwenCode   Agent = "qwen-code"
	KimiCLI    Agent = "kimi-cli"
	KimiCode   Agent = "kimi-code"
	CopilotCLI Agent = "copilot-cli"
	Droid      Agent = "droid"
	Pi         Agent = "pi"
	OpenClaw   Agent = "openclaw"
	Amp        Agent = "amp"
	Kilo       Agent = "kilo"
	Goose      Agent = "goose"
)

// Agents lists the agents, in the order in which they are shown.
var Agents = []Agent{ClaudeCode, Codex, GeminiCLI, OpenCode, QwenCode, KimiCLI, KimiCode, CopilotCLI, Droid, Pi, OpenClaw, Amp, Kilo, Goose}

// dialects maps agents without a format to the dialect of their files.
var dialects = map[Agent]string{
	ClaudeCode: "claude-code", Codex: "codex-rollout", GeminiCLI: "gemini-cli-chat", OpenCode: "opencode", Amp: "amp", Kilo: "opencode", Goose: "goose",
}

// dialect returns the dialect of an agent's files.
func (a Agent) dialect() string {
	if f := formats[a]; f != nil {
		return f.dialect
	}
	return dialects[a]
}

// place is a folder to search, or a single file. agent is "" if the content of each file decides
// which agent wrote it.
type place struct {
	dir   string
	agent Agent
}
