package agenthistory

import (
	"path/filepath"
	"strings"

	"github.com/valyala/fastjson"
)

// format describes the files of lines in which an agent keeps its sessions.
type format struct {
	title   string // the agent's name in messages
	dialect string
	// named reports whether a path is one that the agent gives to a session file.
	named func(path string) bool
	// is reports whether a line is one that only this agent writes.
	is func(v *fastjson.Value) bool
	// head reads a line of the agent, and returns the agent's id of the session that started this one.
	head func(s *Source, v *fastjson.Value) (parent string)
	// ids adds what identifies a line in copies of it. nil: lines are not copied.
	ids func(n *identifier, v *fastjson.Value, raw []byte)
	// version returns the version of the format that a line states, "" for none. known reports whether
	// a version is known. nil: files state no version.
	version func(v *fastjson.Value) string
	known   func(version string) bool
}

// folder returns how many levels above its file the folder is after which a session is named, where
// all files have the same name; 0 if it is named after the file.
func (f *format) folder(path string) int {
	switch {
	case f == kimiCodeFormat:
		return 3
	case f == kimiFormat || f == copilotFormat && filepath.Base(path) == "events.jsonl":
		return 1
	}
	return 0
}

// formats has the formats of agents whose files are read by the rules of this type. The files of
// the other agents have rules of their own. The files of OpenClaw are those of Pi, which it is made
// of: only their folder says whose they are.
var formats = map[Agent]*format{
	QwenCode: qwenFormat, KimiCLI: kimiFormat, KimiCode: kimiCodeFormat, CopilotCLI: copilotFormat, Droid: droidFormat, Pi: piFormat, OpenClaw: openClawFormat,
}

// byContent lists the agents whose lines are recognised by their content, in the order in which
// they are tried.
var byContent = []Agent{QwenCode, KimiCode, KimiCLI, CopilotCLI, Droid, Pi}

// ofFormat returns the agent whose format a line has, "" if there is none.
func ofFormat(v *fastjson.Value) Agent {
	for _, agent := range byContent {
		if formats[agent].is(v) {
			return agent
		}
	}
	return ""
}

// stem returns the name of a file without .jsonl and what follows it.
func stem(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".jsonl")
	return name
}

// parentDir returns the name of the folder that is n levels above a path.
func parentDir(path string, n int) string {
	for range n {
		path = filepath.Dir(path)
	}
	return filepath.Base(path)
}
