package history

import (
	"os"
	"syscall"
	"time"
)

// kind says how a source changes.
type kind int

const (
	lines    kind = iota // a file to which lines are appended
	document             // a file that is written anew as a whole
	tree                 // a folder of small files, each of which is written anew
)

// Source is what an agent keeps of one session, or of one sub-agent of it.
type Source struct {
	Agent Agent
	Path  string // of the file; of a tree that of the session's own file
	Size  int64
	// Modified is when the file, or the newest file of a tree, was written last.
	Modified time.Time
	// State and Head are set by Plan.
	State State
	Head

	kind     kind
	file     fileID
	messages []storedMessage // of a tree, in order
	writing  bool            // its last message is being written
	entry    *entry          // what is recorded; nil for nothing
}

// Head is what the beginning of a source says of it.
type Head struct {
	Session string // the session that it belongs to; of a sub-agent that of its parent
	Project string // the folder in which the agent worked, "" if it is not known
	Branch  string // the git branch, "" if it is not known
	own     string // the agent's id of it, if that of its session is another
	name    string // names the source within its session
	started int64  // the first time in it, ns
}

// State says what of a source is recorded.
type State string

// The states of a source.
const (
	StateNew       State = "new"
	StateGrown     State = "grown"
	StateRewritten State = "rewritten" // other content stands where recorded content stood
	StateStored    State = "stored"
	StateCopy      State = "copy"    // other sources have all of its lines
	StateEmpty     State = "empty"   // nothing was said in it
	StateDeleted   State = "deleted" // its session was deleted on the server
	StateBad       State = "skipped" // it cannot be read, or is none of an agent
)

// Pending reports whether something of the source may have to be recorded.
func (s *Source) Pending() bool {
	return s.State == StateNew || s.State == StateGrown || s.State == StateRewritten
}

// fileID identifies a file independently of its path.
type fileID struct{ Device, Inode uint64 }

func fileIDOf(info os.FileInfo) fileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{Device: uint64(st.Dev), Inode: uint64(st.Ino)}
}

// Problem is a path of which something was not recorded, with the reason.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // without the path
	// Foreign: the path is no file of Claude Code, Codex, Gemini CLI or OpenCode.
	Foreign bool `json:"foreign,omitempty"`
}

// problem describes an error of a path.
func problem(path string, err error) Problem {
	return Problem{Path: path, Reason: reasonOf(err), Foreign: isForeign(err)}
}
