package claudecode

import (
	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
)

// repeats recognises lines that the session has already. Sources that deliver at least once, and
// sources that read a file's tail again, send the end of a stream twice. Claude Code itself writes
// a conversation's earlier lines once more, at any distance, when it compacts or branches it.
type repeats struct {
	lines  dialect.Seen // by uuid, which newer versions state
	result uint64       // the hash of the last result; 0 before the first
	tail   dialect.Tail // of the latest run, for versions without uuid
}

// linesKept bounds the lines among which a repeat is recognised, with 8 bytes for each.
const linesKept = 1 << 20

// repeated reports whether a line is such a repeat. While a run that began with an init is in
// progress, no line counts as a repeat, since a stream that is sent again as a whole begins with
// its init.
func (s *session) repeated(l *line) bool {
	id := l.text("uuid")
	ended := s.Run() == nil
	if len(id) == 0 {
		again := s.past.tail.Again(l.data, !ended)
		return s.repeatedUnnamed(l) && ended || again
	}
	hash := xxhash.Sum64(id)
	if (ended || s.kept) && s.past.lines.Has(hash) {
		return true
	}
	if l.Type == "system" && string(l.text("subtype")) == "init" {
		s.past.lines.Clear()
	}
	s.past.lines.Note(hash, linesKept)
	return false
}

// repeatedUnnamed judges lines of older versions, which have no uuid.
func (s *session) repeatedUnnamed(l *line) bool {
	switch l.Type {
	case "result":
		before := s.past.result
		s.past.result = xxhash.Sum64(l.data)
		return s.past.result == before
	case "assistant":
		return s.streamed.Has(l.text("message", "id"))
	case "stream_event":
		return s.messages.Ended() && string(l.text("event", "type")) != "message_start"
	}
	return false
}
