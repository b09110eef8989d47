package agenthistory

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// piFormat is the format of the coding agent pi: sessions/PROJECT/TIME_SESSION.jsonl. Entries of a
// branched session, and of copies that OpenClaw makes of a session, are identified by their text, as
// each has its time.
var piFormat = &format{
	title: "pi", dialect: "pi",
	named: func(path string) bool { return strings.HasSuffix(path, ".jsonl") },
	is:    isPi, head: piHead, ids: piIDs, version: piVersion, known: piVersionKnown,
}

// openClawFormat is that of sessions/SESSION.jsonl below the folder of an agent of OpenClaw. A session
// that was reset or deleted is kept in SESSION.jsonl.reset.TIME or SESSION.jsonl.deleted.TIME.
var openClawFormat = &format{
	title: "OpenClaw", dialect: "pi",
	named: func(path string) bool {
		_, after, ok := strings.Cut(filepath.Base(path), ".jsonl")
		return ok && parentDir(path, 1) == "sessions" && !strings.HasSuffix(stem(path), ".trajectory") &&
			(after == "" || strings.HasPrefix(after, ".reset.") || strings.HasPrefix(after, ".deleted."))
	},
	is: isPi,
	head: func(s *Source, v *fastjson.Value) string {
		s.name = stem(s.Path) + ".jsonl" // the file of a session that is reset gets another name
		return piHead(s, v)
	},
	ids: piIDs, version: piVersion, known: piVersionKnown,
}

func isPi(v *fastjson.Value) bool {
	return string(v.GetStringBytes("type")) == "session" && v.GetStringBytes("id") != nil &&
		v.GetStringBytes("cwd") != nil && v.GetStringBytes("timestamp") != nil
}

func piHead(s *Source, v *fastjson.Value) string {
	s.Session, s.Project = string(v.GetStringBytes("id")), string(v.GetStringBytes("cwd"))
	return ""
}

func piIDs(n *identifier, v *fastjson.Value, raw []byte) {
	n.addLine(string(v.GetStringBytes("type")) == "message" && v.GetStringBytes("timestamp") != nil, raw)
}

func piVersion(v *fastjson.Value) string {
	if version := v.Get("version"); version != nil && version.Type() == fastjson.TypeNumber {
		return strconv.FormatInt(version.GetInt64(), 10)
	}
	return ""
}

func piVersionKnown(version string) bool { return version == "1" || version == "2" || version == "3" }
