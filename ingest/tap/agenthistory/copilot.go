package agenthistory

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// copilotFormat is the format of GitHub Copilot CLI: session-state/SESSION/events.jsonl, before
// version 0.0.342 session-state/SESSION.jsonl.
var copilotFormat = &format{
	title: "Copilot CLI", dialect: "copilot-cli",
	named: func(path string) bool {
		return filepath.Base(path) == "events.jsonl" ||
			strings.HasSuffix(path, ".jsonl") && parentDir(path, 1) == "session-state"
	},
	is: func(v *fastjson.Value) bool {
		return strings.Contains(string(v.GetStringBytes("type")), ".") && v.GetObject("data") != nil &&
			v.GetStringBytes("id") != nil && v.Exists("parentId") && v.GetStringBytes("timestamp") != nil
	},
	head: func(s *Source, v *fastjson.Value) string {
		if string(v.GetStringBytes("type")) == "session.start" {
			s.Session = string(v.GetStringBytes("data", "sessionId"))
			s.Project = string(v.GetStringBytes("data", "context", "cwd"))
			s.Branch = string(v.GetStringBytes("data", "context", "branch"))
		}
		if s.Session == "" {
			if s.Session = stem(s.Path); s.Session == "events" {
				s.Session = parentDir(s.Path, 1)
			}
		}
		return ""
	},
	ids: func(n *identifier, v *fastjson.Value, _ []byte) { n.add("line", v.GetStringBytes("id")) },
	version: func(v *fastjson.Value) string {
		if string(v.GetStringBytes("type")) != "session.start" {
			return ""
		}
		return strconv.FormatInt(v.GetInt64("data", "version"), 10)
	},
	known: func(version string) bool { return version == "1" },
}
