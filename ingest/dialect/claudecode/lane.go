package claudecode

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// lane is one agent's part of a session: the main agent's, or a sub-agent's.
// Lines of several come interleaved.
type lane struct {
	model.Conversation
	messages *anthropic.Messages
	// asked is when the model was last given something to answer, ns; 0 for
	// not known.
	asked int64
	// call is the call of a model that the last message without events was of,
	// and told its usage.
	call *dialect.Span
	told *dialect.Usage
	id   string         // of that message
	seen *dialect.Usage // that events told of last
	// streamed are hashes of the ids of messages that events told of: lines
	// that tell them once more say nothing new.
	streamed []uint64
	// counted are the usages of the run so far, and before those of the oldest
	// messages, which are no longer kept.
	counted []*dialect.Usage
	before  schema.Tokens
	// failure is what a message said that Claude Code made up of an error.
	failure string
}

// Bounds of what is kept of a lane.
const (
	streamedIDs   = 8
	countedUsages = 256
)

func (a *lane) begin(s *model.Stream, session string) {
	a.Stream, a.Session = s, session
	a.messages = anthropic.NewMessages(&a.Conversation)
	a.messages.Agent = true
}

// event reads an event of the API, and keeps the usage that it began.
func (a *lane) event(l *line) (known bool) {
	call := a.Call()
	known = a.messages.Event(dialect.RawMember(l.data, "event"), l.v.Get("event"))
	switch now := a.Call(); {
	case now == call:
	case now != nil:
		a.started(now)
		a.stream(a.messages.ID())
	default:
		a.asked = l.At // the next begins after the end of this one
	}
	if u := a.messages.Usage(); u != nil && u != a.seen {
		a.seen = u
		a.keep(u)
	}
	return known
}

// started sets when a call of a model began: when it was given something to
// answer, as a message shows only with its first token, or as a whole.
func (a *lane) started(call *dialect.Span) {
	if a.asked != 0 {
		call.Started, a.asked = a.asked, 0
	}
}

// stream notes that events tell of a message.
func (a *lane) stream(id string) {
	if id == "" {
		return
	}
	if len(a.streamed) >= streamedIDs {
		a.streamed = slices.Delete(a.streamed, 0, 1)
	}
	a.streamed = append(a.streamed, xxhash.Sum64String(id))
}

func (a *lane) isStreamed(id []byte) bool {
	return len(id) > 0 && slices.Contains(a.streamed, xxhash.Sum64(id))
}

// keep counts a usage as one of the run's.
func (a *lane) keep(u *dialect.Usage) {
	if len(a.counted) >= countedUsages {
		a.before = plus(a.before, a.counted[0].Tokens)
		a.counted = slices.Delete(a.counted, 0, 1)
	}
	a.counted = append(a.counted, u)
}

// sum is what the usages of the run come to so far.
func (a *lane) sum() schema.Tokens {
	sum := a.before
	for _, u := range a.counted {
		sum = plus(sum, u.Tokens)
	}
	return sum
}

// settle forgets what belongs to a run that has ended.
func (a *lane) settle() {
	a.call, a.told, a.id = nil, nil, ""
	a.counted, a.before, a.failure = nil, schema.Tokens{}, ""
}
