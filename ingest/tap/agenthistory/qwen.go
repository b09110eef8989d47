package agenthistory

import (
	"strings"

	"github.com/valyala/fastjson"
)

// qwenFormat is the format of Qwen Code: projects/PROJECT/chats/SESSION.jsonl and, for sub-agents,
// projects/PROJECT/subagents/SESSION/agent-ID.jsonl.
var qwenFormat = &format{
	title: "Qwen Code", dialect: "qwen-code",
	named: func(path string) bool {
		return strings.HasSuffix(path, ".jsonl") && (parentDir(path, 1) == "chats" || parentDir(path, 2) == "subagents")
	},
	is: func(v *fastjson.Value) bool {
		return v.GetStringBytes("uuid") != nil && v.GetStringBytes("sessionId") != nil &&
			(v.Get("message", "parts") != nil || v.Get("systemPayload") != nil)
	},
	head: func(s *Source, v *fastjson.Value) string {
		s.Project, s.Branch = string(v.GetStringBytes("cwd")), string(v.GetStringBytes("gitBranch"))
		if v.Get("message", "parts") == nil {
			return "" // only messages begin a session
		}
		s.Session = string(v.GetStringBytes("sessionId"))
		if agent := string(v.GetStringBytes("agentId")); agent != "" && parentDir(s.Path, 2) == "subagents" {
			parent := s.Session
			s.Session = parent + "/" + agent
			return parent
		}
		return ""
	},
	ids: func(n *identifier, v *fastjson.Value, _ []byte) { n.add("line", v.GetStringBytes("uuid")) },
}
