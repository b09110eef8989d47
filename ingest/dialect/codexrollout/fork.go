package codexrollout

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/dialect"
)

// fork tracks which lines of a file are copies. The file of a forked session begins with the
// lines of the original session. Those lines are recorded with the original session, and the
// copies are ignored.
type fork struct {
	ancestors []string
	on        bool  // the present lines are copies
	created   int64 // when the session began, ns
	before    int64 // the time of the previous line, ns
}

const (
	// ancestorsKept bounds the sessions whose lines a file may have.
	ancestorsKept = 32
	// copyGap is longer than the time between two copied lines.
	copyGap = int64(time.Second)
)

// begin begins a session with its head.
func (f *fork) begin(l *line, id, parent []byte) {
	f.created = timeOfID(id)
	if f.created == 0 {
		f.created = dialect.TextTime(l.text("timestamp"))
	}
	f.before = timeOf(l.Input)
	f.add(parent)
	f.on = len(parent) > 0
}

func (f *fork) add(id []byte) {
	if len(id) > 0 && len(f.ancestors) < ancestorsKept {
		f.ancestors = append(f.ancestors, string(id))
	}
}

// from reports whether the session was forked from the one with an id.
func (f *fork) from(id []byte) bool { return slices.Contains(f.ancestors, string(id)) }

// copied reports whether a line is a copy. The first turn that began after the session, and
// everything after it, is the session's own. If the ids of turns do not have times, the first line
// that was written later than the copies is the session's own.
func (d *decoder) copied(l *line) bool {
	f := &d.fork
	if !f.on {
		return false
	}
	before, at := f.before, timeOf(l.Input)
	if at != 0 {
		f.before = at
	}
	if began := timeOfID(l.text("turn_id")); began != 0 {
		f.on = began < f.created
	} else if at >= f.created && before != 0 && at-before > copyGap {
		f.on = false
	}
	return f.on
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
