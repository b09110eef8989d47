package codexrollout

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/dialect"
)

// fork says which lines of a file are copies. The file of a session that was forked
// begins with the lines of the session that it was forked from. They are recorded with
// that session, so that nothing is concluded from the copies.
type fork struct {
	ancestors []string
	on        bool  // the lines are copies
	created   int64 // when the session was begun, ns
	before    int64 // the time of the line before, ns
}

const (
	// ancestorsKept bounds the sessions that a file may have the lines of.
	ancestorsKept = 32
	// copyGap is longer than what passes between two lines that are copied.
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

// copied reports whether a line is a copy. The first turn that was begun later than the
// session is the session's own, as is all that follows; where turns have no ids that say
// when they began, a line that was written later than the copies.
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

// timeOfID reads when an id was made, ns, if it is a UUID of version 7; otherwise 0.
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
