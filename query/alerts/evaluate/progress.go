package evaluate

import (
	"fmt"
	"maps"

	"tapedeck/query/alerts/rule"
	"tapedeck/schema"
)

// thread is where calls follow one another: an agent of a run.
type thread struct{ run, agent string }

// action is a call with its arguments, or a refusal with its reason.
type action struct{ tool, detail string }

// repeated is an action of a streak: how often it was taken, with its first call, and the call with
// which the count of the rule was reached, nil before.
type repeated struct {
	times     int
	first, at *Span
}

// streak holds the actions since something new happened.
type streak map[action]*repeated

// repetitions are the streaks of a thread.
type repetitions struct {
	thread          thread
	seen            map[action]bool
	calls, refusals streak
}

func (s streak) add(a action, c *Span, most int) {
	if s[a] == nil {
		s[a] = &repeated{first: c}
	}
	if s[a].times++; s[a].times == most {
		s[a].at = c
	}
}

// full returns the action that reached the count of the rule first; nil if none did.
func (s streak) full() (full *repeated, of action) {
	for a, x := range s {
		if x.at != nil && (full == nil || x.at.Begin < full.at.Begin || x.at.Begin == full.at.Begin && x.at.ID < full.at.ID) {
			full, of = x, a
		}
	}
	return full, of
}

// noProgress finds runs that repeat the same call with the same arguments, without a call between that is
// new in the run, and runs in which calls of a tool fail or are rejected for the same reason again and
// again, without one between that succeeded. A call counts when it has ended. Edits between two tests are new calls, so a run that edits
// and tests makes progress.
func noProgress(r *rule.Rule, s *Session) (found []Finding) {
	threads := map[thread]*repetitions{}
	var order []*repetitions
	for i := range s.Calls {
		c := &s.Calls[i]
		if !r.Of(c.Name) || c.IsOpen() {
			continue
		}
		t := thread{c.Run, c.Agent}
		if threads[t] == nil {
			threads[t] = &repetitions{thread: t, seen: map[action]bool{}, calls: streak{}, refusals: streak{}}
			order = append(order, threads[t])
		}
		threads[t].add(r, c)
	}
	for _, t := range order {
		if full, a := t.calls.full(); full != nil {
			f := of(r, full.at, full.first.ID, max(full.at.Ended, full.at.Begin))
			f.Key = fmt.Sprintf("call %q %q", t.thread, a)
			f.Detail = fmt.Sprintf("the call of %s with the same arguments was made %d times, with nothing new between", a.tool, r.Calls)
			found = append(found, f)
		}
		if full, a := t.refusals.full(); full != nil {
			f := of(r, full.at, full.first.ID, max(full.at.Ended, full.at.Begin))
			f.Key = fmt.Sprintf("refusal %q %q", t.thread, a)
			f.Detail = fmt.Sprintf("%d calls of %s were refused for the same reason", r.Refusals, a.tool)
			found = append(found, f)
		}
	}
	return found
}

// add counts a call and its refusal.
func (t *repetitions) add(r *rule.Rule, c *Span) {
	if call := (action{c.Name, c.Arguments}); r.Calls > 0 && c.Arguments != "" {
		if !t.seen[call] {
			t.seen[call] = true
			clear(t.calls)
		}
		t.calls.add(call, c, r.Calls)
	}
	switch {
	case r.Refusals == 0:
	case c.Status == schema.StatusRejected || c.Status == schema.StatusError && c.Error != "":
		t.refusals.add(action{c.Name, c.Error}, c, r.Refusals)
	case c.Status == schema.StatusOK:
		maps.DeleteFunc(t.refusals, func(a action, _ *repeated) bool { return a.tool == c.Name })
	}
}
