package claudecode

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// actor is one agent's part of a session: the main agent's, or a sub-agent's.
// Lines of several come interleaved.
type actor struct {
	model.Conversation
	messages *anthropic.Messages
	// asked is when the model was last given something to answer, ns; 0 for
	// not known.
	asked int64
	// call is the call of a model that the last message without events was of,
	// and stated its usage.
	call  *dialect.Span
	usage *dialect.Usage
	id    string         // of that message
	seen  *dialect.Usage // that events described last
	// streamed are the ids of messages that came as events: lines that repeat them
	// say nothing new.
	streamed dialect.Recent
	// parts are the parts of messages of a conversation's file, by their hash.
	parts dialect.Recent
	turn  turn
	// counted are the usages of the run so far, and before those of the oldest
	// messages, which are no longer kept.
	counted []*dialect.Usage
	before  schema.Tokens
	// failure is what a message said that Claude Code made up of an error.
	failure string
}

// Bounds of what is kept of a actor.
const (
	streamedIDs   = 8
	partsKept     = 64
	countedUsages = 256
)

func (a *actor) begin(s *model.Stream, session string) {
	a.Stream, a.Session = s, session
	a.messages = anthropic.NewMessages(&a.Conversation)
	a.messages.Agent = true
}

// event reads an event of the API, and keeps the usage that it began.
func (a *actor) event(l *line) (known bool) {
	call := a.Call()
	known = a.messages.Event(dialect.RawMember(l.data, "event"), l.v.Get("event"))
	switch now := a.Call(); {
	case now == call:
	case now != nil:
		a.started(now)
		a.streamed.Add([]byte(a.messages.ID()), streamedIDs)
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
func (a *actor) started(call *dialect.Span) {
	if a.asked != 0 {
		call.Started, a.asked = a.asked, 0
	}
}

// keep counts a usage as one of the run's.
func (a *actor) keep(u *dialect.Usage) {
	if len(a.counted) >= countedUsages {
		a.before = dialect.AddTokens(a.before, a.counted[0].Tokens)
		a.counted = slices.Delete(a.counted, 0, 1)
	}
	a.counted = append(a.counted, u)
}

// sum is what the usages of the run come to so far.
func (a *actor) sum() schema.Tokens {
	sum := a.before
	for _, u := range a.counted {
		sum = dialect.AddTokens(sum, u.Tokens)
	}
	return sum
}

// settle forgets what belongs to a run that has ended.
func (a *actor) settle() {
	a.call, a.usage, a.id = nil, nil, ""
	a.counted, a.before, a.failure = nil, schema.Tokens{}, ""
	a.turn = turn{}
}
