package agenthistory

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"
)

// kimiCodeFormat is the format of Kimi Code: sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl, in
// which the agent "main" is the session's and the others are sub-agents. A session that was forked
// begins with lines of another one.
var kimiCodeFormat = &format{
	title: "Kimi Code", dialect: "kimi-code",
	named: func(path string) bool {
		return filepath.Base(path) == "wire.jsonl" && parentDir(path, 2) == "agents"
	},
	is: func(v *fastjson.Value) bool {
		switch typ := string(v.GetStringBytes("type")); {
		case typ == "metadata":
			return v.GetStringBytes("protocol_version") != nil && v.GetFloat64("created_at") > 0
		case v.GetFloat64("time") <= 0:
			return false
		case strings.HasPrefix(typ, "context."):
			return v.Get("message") != nil || v.Get("event") != nil
		default:
			return typ == "turn.prompt" && v.Get("input") != nil
		}
	},
	head: func(s *Source, v *fastjson.Value) (parent string) {
		if string(v.GetStringBytes("type")) == "metadata" {
			return "" // only what follows begins a session
		}
		session, agent := parentDir(s.Path, 3), parentDir(s.Path, 1)
		s.Project = kimiCodeProject(filepath.Dir(filepath.Dir(filepath.Dir(s.Path))))
		if agent != "main" {
			parent, session = session, session+"/"+agent
		}
		s.Session, s.name = session, session+"/wire.jsonl"
		return parent
	},
	ids: func(n *identifier, v *fastjson.Value, raw []byte) {
		n.addLine(string(v.GetStringBytes("type")) != "metadata", raw)
	},
	version: func(v *fastjson.Value) string { return string(v.GetStringBytes("protocol_version")) },
	known:   func(version string) bool { return strings.HasPrefix(version, "1.") },
}

// kimiCodeProject returns the project of a session, which the file state.json in the session's folder
// states.
func kimiCodeProject(dir string) string {
	text, err := readRegular(filepath.Join(dir, "state.json"), 1<<20)
	if err != nil {
		return ""
	}
	var state struct {
		WorkDir string `json:"workDir"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return ""
	}
	return state.WorkDir
}
