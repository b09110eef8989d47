package loom

import (
	"encoding/binary"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
)

// mark identifies the present event by its content. According to section 3 of the specification,
// receivers deduplicate by event_id, which counts within a session.
type mark struct {
	counted bool // the event has a numeric event_id
	id      uint64
	hash    uint64 // of its JSON text
}

// shared returns the id of a fact that begins with the present event. It is the same in every
// stream with the event, so that tokens and tool calls of a run that is recorded twice count
// once. The id is made of the lane's key, the number of runs that ended in the lane before, the
// event_id and the event's text. Without an event_id or a session the id is unique to this
// stream.
func (d *decoder) shared(kind string) string {
	kind = strings.TrimPrefix(kind, "tool_") // prefix of the kinds of messages
	l := d.cur
	if !d.mark.counted || l == nil || l.key == "" || d.part > 0 {
		return d.ID(kind)
	}
	var room [8 * 4]byte
	buf := binary.LittleEndian.AppendUint64(room[:0], hashOf(l.key, l.wrapped))
	buf = binary.LittleEndian.AppendUint64(buf, l.runs)
	buf = binary.LittleEndian.AppendUint64(buf, d.mark.id)
	buf = binary.LittleEndian.AppendUint64(buf, d.mark.hash)
	return dialect.EventID(kind, xxhash.Sum64(buf))
}
