package agenthistory

import (
	"os"
	"syscall"
	"time"
)

// kind is the way in which a source's content changes.
type kind int

const (
	lines    kind = iota // a file to which lines are appended
	document             // a file that is rewritten as a whole
	tree                 // files or rows of a database that are rewritten as a whole, and converted to lines
)

// Source is the file or folder of one session of an agent, or of one of its sub-agents.
type Source struct {
	Agent Agent
	Path  string // path of the file; for a tree, path of the session's own file, or DATABASE#SESSION
	Size  int64
	// Modified is when the file, or the newest file of a tree, was last written.
	Modified time.Time
	// State and Head are set by Plan.
	State State
	Head

	kind     kind
	file     fileID
	messages []storedMessage // messages of a tree of files, in order
	row      *sessionRow     // row of a tree in a database
	convert  *converter      // of a file that is converted to lines; nil for none
	writing  bool            // the last message is still being written
	entry    *entry          // the recorded part; nil for none
}

// Head holds the fields that the beginning of a source states.
type Head struct {
	Session string // the session of the source; for a sub-agent, its parent's session
	Project string // the folder in which the agent worked, "" if it is not known
	Branch  string // the git branch, "" if it is not known
	own     string // the agent's id of the source, if it differs from the id of its session
	name    string // name of the source within its session
	started int64  // first time in the source, ns
	unknown string // what of the agent's format is not known, "" if all is known
}

// State is the result of comparing a source with the progress.
type State string

// The states of a source.
const (
	StateNew       State = "new"
	StateGrown     State = "grown"
	StateRewritten State = "rewritten" // recorded content was replaced by other content
	StateStored    State = "stored"
	StateCopy      State = "copy"    // other sources own all lines
	StateEmpty     State = "empty"   // the source has no messages
	StateDeleted   State = "deleted" // the session was deleted on the server
	StateBad       State = "skipped" // the source cannot be read, or is not an agent's file
)

// Pending reports whether the source may have content to record.
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

// Problem is a path that was not recorded, or not completely, with the reason.
type Problem struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // without the path
	// Foreign reports that the path is no failure: it is not a file of a known agent, a link that is
	// not followed, or a file of an unknown version, which is recorded.
	Foreign bool `json:"foreign,omitempty"`
	// Recorded reports that what is known of the path is recorded.
	Recorded bool `json:"recorded,omitempty"`
}

// problem returns the Problem for an error of a path.
func problem(path string, err error) Problem {
	return Problem{Path: path, Reason: reasonOf(err), Foreign: isForeign(err)}
}
