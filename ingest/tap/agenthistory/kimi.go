package agenthistory

import (
	"crypto/md5" //nolint:gosec // Kimi CLI names folders by this hash
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"
)

// kimiFormat is the format of Kimi CLI: sessions/FOLDER/SESSION/wire.jsonl and, for sub-agents,
// sessions/FOLDER/SESSION/subagents/AGENT/wire.jsonl. A session that was forked begins with lines of
// another one, which are identified by their text, as each has its time.
var kimiFormat = &format{
	title: "Kimi CLI", dialect: "kimi-cli",
	named: func(path string) bool { return filepath.Base(path) == "wire.jsonl" },
	is: func(v *fastjson.Value) bool {
		return string(v.GetStringBytes("type")) == "metadata" && v.GetStringBytes("protocol_version") != nil && !v.Exists("created_at") ||
			v.GetFloat64("timestamp") > 0 && v.GetStringBytes("message", "type") != nil && v.Get("message", "payload") != nil
	},
	head: func(s *Source, v *fastjson.Value) (parent string) {
		if v.Get("message") == nil {
			return "" // only messages begin a session
		}
		folder, session := parentDir(s.Path, 2), parentDir(s.Path, 1)
		if folder == "subagents" {
			parent, folder = parentDir(s.Path, 3), parentDir(s.Path, 4)
			session = parent + "/" + session
		}
		s.Session, s.name = session, session+"/wire.jsonl"
		s.Project = kimiProject(s.Path, folder)
		return parent
	},
	ids:     func(n *identifier, v *fastjson.Value, raw []byte) { n.addLine(v.Get("message") != nil, raw) },
	version: func(v *fastjson.Value) string { return string(v.GetStringBytes("protocol_version")) },
	known:   func(version string) bool { return strings.HasPrefix(version, "1.") },
}

// kimiProject returns the project whose hash is the name of a folder. Kimi CLI lists its projects in
// kimi.json, beside the folder of sessions.
func kimiProject(path, folder string) string {
	dir := filepath.Dir(path)
	for filepath.Base(dir) != folder {
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	text, err := readRegular(filepath.Join(filepath.Dir(filepath.Dir(dir)), "kimi.json"), 1<<20)
	if err != nil {
		return ""
	}
	var known struct {
		Folders []struct{ Path string } `json:"work_dirs"`
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return ""
	}
	for _, f := range known.Folders {
		if sum := md5.Sum([]byte(f.Path)); hex.EncodeToString(sum[:]) == folder { //nolint:gosec // see above
			return f.Path
		}
	}
	return ""
}
