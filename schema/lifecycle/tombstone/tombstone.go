// Package tombstone keeps deleted sessions deleted.
//
// A tombstone covers all streams of a session that began before its deletion, and all of their data
// that arrives later: from a recorder or its spool, by redelivery, or from a decoding that was in
// progress. It covers neither streams that begin later nor streams whose tape is imported later (a
// restore). A stream is always covered as a whole, so that no summary counts hidden frames.
//
// ClickHouse stores the tombstones, and statements that read recordings filter by the predicate
// "visible" of schema/sqltemplate. Components that handle blocks ask a Set, so that deleted blocks
// are neither stored nor sent.
package tombstone

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Key names a session, or a whole tenant if Session is "".
type Key struct{ Tenant, Session string }

// Tombstone records which streams of a session were deleted.
type Tombstone struct {
	Key
	Until    string               // covers streams with ids up to this id
	Streams  []string             // further covered streams
	At       time.Time            // time of the latest deletion
	Finished bool                 // no covered row is stored
	Erasure  string               // erasure to which it belongs; "" for none
	Restored map[string]time.Time // import times of streams; imports before At do not count
}

// Covers reports whether a stream of the session is deleted.
func (t *Tombstone) Covers(stream string) bool {
	if t == nil || stream > t.Until && !slices.Contains(t.Streams, stream) {
		return false
	}
	return !t.Restored[stream].After(t.At)
}

// restored lists the streams that were imported after the deletion.
func (t *Tombstone) restored() []string {
	list := []string{} // never nil: an Array parameter
	for id, at := range t.Restored {
		if at.After(t.At) {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// merge adds another row, or a later state, of the same session's tombstone.
func (t *Tombstone) merge(o *Tombstone) {
	t.Until = max(t.Until, o.Until)
	for _, id := range o.Streams {
		if !slices.Contains(t.Streams, id) {
			t.Streams = append(t.Streams, id)
		}
	}
	if o.At.After(t.At) {
		t.At, t.Finished, t.Erasure = o.At, o.Finished, o.Erasure
	}
	for id, at := range o.Restored {
		if at.After(t.Restored[id]) {
			if t.Restored == nil {
				t.Restored = map[string]time.Time{}
			}
			t.Restored[id] = at
		}
	}
}

// Bound returns the greatest stream id of a time's millisecond.
func Bound(at time.Time) string {
	id := uuid.Max
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6], id[8] = 0x7f, 0xbf // version 7 and the variant
	return id.String()
}

// Error reports that blocks belong to a session that was deleted while it was recorded.
type Error struct {
	Session string
	At      time.Time
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("session %q was deleted at %s while it was being recorded: later frames are not recorded; "+
		"start a new recording to record the session again",
		e.Session, e.At.UTC().Format(time.RFC3339))
}
