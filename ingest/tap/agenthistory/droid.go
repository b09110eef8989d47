package agenthistory

import (
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// droidFormat is the format of Factory's Droid: sessions/PROJECT/SESSION.jsonl. SESSION.settings.json
// beside it states the tokens.
var droidFormat = &format{
	title: "Droid", dialect: "droid",
	named: func(path string) bool { return strings.HasSuffix(path, ".jsonl") },
	is: func(v *fastjson.Value) bool {
		switch string(v.GetStringBytes("type")) {
		case "session_start":
			return v.GetStringBytes("id") != nil && v.GetStringBytes("cwd") != nil
		case "message":
			return v.GetStringBytes("id") != nil && v.Exists("parentId") && v.GetStringBytes("message", "role") != nil &&
				!v.Exists("message", "timestamp")
		}
		return false
	},
	head: func(s *Source, v *fastjson.Value) string {
		s.Session = string(v.GetStringBytes("id"))
		if string(v.GetStringBytes("type")) != "session_start" {
			s.Session = stem(s.Path)
		}
		s.Project = string(v.GetStringBytes("cwd"))
		return ""
	},
	ids: func(n *identifier, v *fastjson.Value, _ []byte) {
		if string(v.GetStringBytes("type")) == "message" {
			n.add("line", v.GetStringBytes("id"))
		}
	},
	version: func(v *fastjson.Value) string {
		if version := v.Get("version"); version != nil && version.Type() == fastjson.TypeNumber {
			return strconv.FormatInt(version.GetInt64(), 10)
		}
		return ""
	},
	known: func(version string) bool { return version == "1" || version == "2" },
}
