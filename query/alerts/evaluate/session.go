// Package evaluate decides which rules of alerts hold for a session at a moment, and keeps the episodes
// in which they hold. It reads no clock and no storage.
package evaluate

import (
	"github.com/shopspring/decimal"
	"tapedeck/query/alerts/rule"

	"tapedeck/schema"
)

// Session is what rules observe of a session that is being recorded. Times are in ns since 1970.
type Session struct {
	Tenant string
	ID     string
	Stream string // the stream that began last; its alerts are deleted with it
	LastAt int64  // arrival of the last frame
	// ModelAt is the latest end of a model call, 0 for none.
	ModelAt int64
	// Open are the spans without an end. A session has few; the caller bounds them.
	Open []Span
	// Calls are the latest tool calls that ended, at most rule.MostCalls, and those that are open, which are also in
	// Open. They are ordered by their begin.
	Calls  []Span
	Tokens int64
	// Costs are the known costs by currency.
	Costs map[string]decimal.Decimal
}

// Span is a span as rules observe it.
type Span struct {
	ID       string
	Parent   string
	Kind     schema.SpanKind
	Name     string
	Status   schema.Status
	Run      string
	Agent    string
	Begin    int64
	Ended    int64
	Error    string
	Position string // of the first frame that mentions the span
	// Arguments identifies the arguments of a tool call: the text, or a hash of it; "" if they are not
	// known.
	Arguments string
}

// Latest returns what Session.Calls are of tool calls that are ordered by their begin, and the calls that are too many.
func Latest(calls []Span) (latest, over []Span) {
	excess := -rule.MostCalls
	for i := range calls {
		if !calls[i].IsOpen() {
			excess++
		}
	}
	if excess <= 0 {
		return calls, nil
	}
	for _, c := range calls {
		if len(over) < excess && !c.IsOpen() {
			over = append(over, c)
		} else {
			latest = append(latest, c)
		}
	}
	return latest, over
}

// IsOpen reports whether the span has no end.
func (s *Span) IsOpen() bool { return !s.Status.Ended() && s.Ended == 0 }

// Usual is how long the earlier calls of a tool took.
type Usual struct {
	Calls int64
	P99   float64 // ns
}

// Finding is a rule that holds for a session.
type Finding struct {
	Rule string
	Kind rule.Kind
	// Key identifies the condition in the session. While it holds without interruption, it is one episode.
	Key string
	// Episode identifies the episode among those of the condition. It is the same for whoever
	// evaluates the rule first at the episode's begin.
	Episode  string
	Since    int64 // when the condition began to hold
	SpanID   string
	SpanName string
	Position string
	Detail   string // what happened, a clause
}

// EachOpenTool calls see with the name of the tool of each open call.
func (s *Session) EachOpenTool(see func(tool string)) {
	for i := range s.Open {
		if s.Open[i].Kind == schema.SpanTool {
			see(s.Open[i].Name)
		}
	}
}
