package codexrollout

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/dialect"
)

// fork tracks which lines of a file are copies. The file of a forked session, and of a sub-agent
// that knows the conversation so far, begins with the lines of the original session. Those lines
// are recorded with the original session, and the copies are ignored.
type fork struct {
	ancestors []string
	continues bool   // the session continues the conversation of an ancestor
	on        bool   // the present lines are copies
	own       bool   // a line of the session itself was seen
	first     uint64 // the ordinal of the session's first own line; 0 if not stated
	created   int64  // when the session began, ns
	before    int64  // the time of the previous line, ns
}

const (
	// ancestorsKept bounds the sessions whose lines a file may have.
	ancestorsKept = 32
	// copyGap is longer than the time between two copied lines.
	copyGap = int64(time.Second)
)

// begin begins a session with its head. The file of a forked session begins with copies, unless
// its history_base refers to them. The file of a sub-agent has copies if the head of its parent
// follows, or if it states where its own lines begin.
func (f *fork) begin(l *line, id []byte) {
	f.created = timeOfID(id)
	if f.created == 0 {
		f.created = dialect.TextTime(l.text("timestamp"))
	}
	f.before = timeOf(l.Input)
	f.add(parentOf(l))
	f.first = l.v.GetUint64("subagent_history_start_ordinal")
	based := dialect.IsObject(l.v.Get("history_base"))
	forked := len(l.text("forked_from_id")) > 0
	f.continues = forked || based
	f.on = forked && !based
}

// head reads the head of an ancestor, whose lines follow.
func (f *fork) head(l *line) {
	f.add(parentOf(l))
	f.continues, f.on = true, true
}

// parentOf returns the id of the session from which a session was forked, or which began it.
func parentOf(l *line) []byte {
	if id := dialect.FirstText(l.v, "forked_from_id", "parent_thread_id"); len(id) > 0 {
		return id
	}
	return l.text("source", "subagent", "thread_spawn", "parent_thread_id")
}

func (f *fork) add(id []byte) {
	if len(id) > 0 && len(f.ancestors) < ancestorsKept {
		f.ancestors = append(f.ancestors, string(id))
	}
}

// from reports whether the session was forked from the one with an id, or began in it.
func (f *fork) from(id []byte) bool { return slices.Contains(f.ancestors, string(id)) }

// copiesHead reports whether the head of the session with an id is a copy. After lines of a session
// that continues no other it is the head of another file.
func (f *fork) copiesHead(id []byte) bool { return f.from(id) && (f.continues || !f.own) }

// copied reports whether a line is a copy.
func (d *decoder) copied(l *line) bool {
	f := &d.fork
	f.on = f.copies(l)
	f.own = f.own || !f.on
	return f.on
}

// copies reports whether a line is a copy. The ordinals of lines state it exactly. Without them the
// first turn that began after the session, and everything after it, is the session's own. If the ids
// of turns do not have times, the first line that was written later than the copies is the session's
// own.
func (f *fork) copies(l *line) bool {
	if ordinal := l.JSON.Get("ordinal"); f.first > 0 && dialect.IsNumber(ordinal) {
		return ordinal.GetUint64() < f.first
	}
	if !f.on {
		return false
	}
	before, at := f.before, timeOf(l.Input)
	if at != 0 {
		f.before = at
	}
	if began := timeOfID(l.text("turn_id")); began != 0 {
		return began < f.created
	}
	return at < f.created || before == 0 || at-before <= copyGap
}

// timeOfID returns the time of an id, ns, if it is a UUID of version 7; otherwise 0.
func timeOfID(id []byte) int64 {
	if len(id) != 36 || id[8] != '-' || id[14] != '7' {
		return 0
	}
	var ms [6]byte
	if _, err := hex.Decode(ms[:], []byte(strings.ReplaceAll(string(id[:13]), "-", ""))); err != nil {
		return 0
	}
	var n uint64
	for _, b := range ms {
		n = n<<8 | uint64(b)
	}
	return dialect.Milliseconds(n)
}
