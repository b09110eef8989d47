package claudecode

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/anthropic"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// actor is the state of one agent of a session: the main agent or a sub-agent. Lines of several
// agents come interleaved.
type actor struct {
	model.Conversation
	messages *anthropic.Messages
	// asked is when the model was last given input, ns; 0 if that is not known.
	asked int64
	// call is the call of the last message that came without events, and stated its usage.
	call  *dialect.Span
	usage *dialect.Usage
	id    string // of that message
	// output compares that message's output with its content.
	output output
	seen   *dialect.Usage // the usage that events described last
	// streamed has the ids of messages that came as events. Lines with the same ids change
	// nothing.
	streamed dialect.Recent
	// parts has hashes of the parts of messages in a conversation's file.
	parts dialect.Recent
	turn  turn
	// counted has the usages of the run so far. before is the sum of the oldest ones, which are
	// no longer kept.
	counted []*dialect.Usage
	before  schema.Tokens
	// failure is the text of an error message that Claude Code made up.
	failure string
}

// Bounds of the state of an actor.
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

// event reads an event of the API, and keeps the usage that the event began.
func (a *actor) event(l *line) (known bool) {
	call := a.Call()
	known = a.messages.Event(dialect.RawMember(l.data, "event"), l.v.Get("event"))
	switch now := a.Call(); {
	case now == call:
	case now != nil:
		a.started(now)
		a.streamed.Add([]byte(a.messages.ID()), streamedIDs)
	default:
		a.asked = l.At // the next call begins after the end of this one
	}
	if u := a.messages.Usage(); u != nil && u != a.seen {
		a.seen = u
		a.keep(u)
	}
	return known
}

// started sets the start of a call of a model to when the model was given input. A message is
// seen only with its first token, or as a whole.
func (a *actor) started(call *dialect.Span) {
	if a.asked != 0 {
		call.Started, a.asked = a.asked, 0
	}
}

// keep adds a usage to the run's usages.
func (a *actor) keep(u *dialect.Usage) {
	if len(a.counted) >= countedUsages {
		a.before = dialect.AddTokens(a.before, a.counted[0].Tokens)
		a.counted = slices.Delete(a.counted, 0, 1)
	}
	a.counted = append(a.counted, u)
}

// sum returns the sum of the run's usages so far.
func (a *actor) sum() schema.Tokens {
	sum := a.before
	for _, u := range a.counted {
		sum = dialect.AddTokens(sum, u.Tokens)
	}
	return sum
}

// settle releases the state of a run that has ended.
func (a *actor) settle() {
	a.call, a.usage, a.id = nil, nil, ""
	a.counted, a.before, a.failure = nil, schema.Tokens{}, ""
	a.turn = turn{}
}
