package assert

import (
	"cmp"
	"context"
	"fmt"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/query/facts/sessionhead"
)

// Run checks conditions on a recording: a tape file, of which session selects a session, or a session
// of the server. The error is not nil if the recording cannot be checked.
func (s *Source) Run(ctx context.Context, c *Conditions, name, session string) (*Result, error) {
	r, err := s.open(ctx, name, session)
	if err != nil {
		return nil, err
	}
	if c.needsFacts() && r.factless() {
		return nil, fmt.Errorf("%s: session %q has frames and no facts: no protocol was recognised in it, so only its duration and silence can be checked", name, r.id)
	}
	k := &check{recording: r}
	k.fails(c.Fails)
	k.times(c)
	k.tokens(c.Tokens)
	k.cost(c.Cost)
	k.toolErrors(c.ToolErrors)
	for i := range c.Calls {
		k.calls(&c.Calls[i])
	}
	k.order(c.Order)
	k.exactOrder(c.ExactOrder)
	for i := range c.Texts {
		k.text(fmt.Sprintf("texts[%d]", i), &c.Texts[i])
	}
	for i := range c.Arguments {
		k.argument(fmt.Sprintf("arguments[%d]", i), &c.Arguments[i])
	}
	if c.SameSteps != nil {
		other, err := s.open(ctx, cmp.Or(c.SameSteps.path, c.SameSteps.As), "")
		if err != nil {
			return nil, fmt.Errorf("same_steps: %w", err)
		}
		if err := k.sameSteps(c.SameSteps, other); err != nil {
			return nil, err
		}
	}
	result := &Result{Recording: name, SessionID: r.id, Assertions: k.list}
	result.Passed = result.Failed() == 0
	return result, nil
}

// check collects assertions about a recording.
type check struct {
	*recording
	list []Assertion
}

// add adds an assertion. at is where it failed; nil if there is no such moment.
func (k *check) add(name string, passed bool, expected, actual string, at *Moment) {
	if passed {
		at = nil
	}
	k.list = append(k.list, Assertion{name, passed, expected, actual, at})
}

// fails checks the status of the session in the same way as bisect.
func (k *check) fails(wanted *bool) {
	if wanted == nil {
		return
	}
	expected := (&bisect.Question{Fails: true}).Condition()
	if !*wanted {
		expected = "does not fail"
	}
	k.add("fails", (k.head.Status == sessionhead.Failed) == *wanted, expected, "status "+string(k.head.Status), k.end())
}

// end returns the moment at which the session ended, with the span that failed or was open.
func (k *check) end() *Moment {
	if end := sessionhead.NewEnd(&k.head.Head, k.Streams, k.head.Runs, k.Spans); end != nil {
		return &Moment{OffsetMS: end.OffsetMS, Span: end.Span}
	}
	return &Moment{OffsetMS: k.head.DurationMS}
}
