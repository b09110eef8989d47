package evaluate

import (
	"fmt"
	"strings"
	"time"

	"tapedeck/query/alerts/rule"
	"tapedeck/query/report/toolreport"
	"tapedeck/schema"
)

// Findings returns the rules of sessions that hold for a session at a moment, ns since 1970. usual returns how long the
// earlier calls of a tool took; false if that is not known.
func Findings(rules []rule.Rule, s *Session, usual func(tool string) (Usual, bool), now int64) (found []Finding) {
	tree := treeOf(s.Open)
	for i := range rules {
		r := &rules[i]
		if !r.Applies(s.Tenant) || !r.OfSessions() {
			continue
		}
		switch r.Kind {
		case rule.ToolOpen:
			found = append(found, toolOpen(r, s, tree, usual, now)...)
		case rule.Silence:
			found = append(found, silence(r, s, tree, now)...)
		case rule.NoProgress:
			found = append(found, noProgress(r, s)...)
		case rule.ErrorRate:
			found = append(found, errorRate(r, s)...)
		case rule.Budget:
			found = append(found, budget(r, s, now)...)
		}
	}
	return found
}

// tree is what is below the open spans of a session.
type tree struct {
	busy    map[string]bool // ids of spans with an open span below them
	waiting bool            // a span waits for an approval, a person or a client
	working bool            // a tool runs that is not a sub-agent
}

func treeOf(open []Span) tree {
	parents := make(map[string]string, len(open))
	for i := range open {
		parents[open[i].ID] = open[i].Parent
	}
	t := tree{busy: map[string]bool{}}
	for i := range open {
		for id := parents[open[i].ID]; id != "" && !t.busy[id]; id = parents[id] {
			t.busy[id] = true
		}
		t.waiting = t.waiting || open[i].Status == schema.StatusWaiting
	}
	for i := range open {
		t.working = t.working || open[i].Kind == schema.SpanTool && !t.busy[open[i].ID]
	}
	return t
}

// running returns the open tool calls of a session that a rule is about. A call that waits, and one that is a sub-agent
// with something open, are not meant.
func running(r *rule.Rule, s *Session, t tree) (calls []*Span) {
	for i := range s.Open {
		call := &s.Open[i]
		if call.Kind == schema.SpanTool && call.Status != schema.StatusWaiting && !t.busy[call.ID] && r.Of(call.Name) {
			calls = append(calls, call)
		}
	}
	return calls
}

// toolOpen finds calls that are open for longer than the factor times the p99 of their tool, and longer
// than the floor.
func toolOpen(r *rule.Rule, s *Session, t tree, usual func(string) (Usual, bool), now int64) (found []Finding) {
	for _, call := range running(r, s, t) {
		known, ok := usual(call.Name)
		if !ok || known.Calls < toolreport.UsualCalls {
			continue
		}
		threshold := max(int64(r.Factor*known.P99), int64(r.Floor))
		if now-call.Begin < threshold {
			continue
		}
		f := of(r, call, call.ID, call.Begin+threshold)
		f.Detail = fmt.Sprintf("the call of %s is open for more than %s; 99 %% of its %d earlier calls took %s or less",
			call.Name, shown(threshold), known.Calls, shown(int64(known.P99)))
		found = append(found, f)
	}
	return found
}

// silence finds a session without a frame while something is open that is neither a tool that runs nor a
// wait. A run whose last model call ended without a tool call after it has answered, and waits for the
// person, even if its source does not say that it ended.
func silence(r *rule.Rule, s *Session, t tree, now int64) []Finding {
	if len(s.Open) == 0 || t.waiting || t.working || s.LastAt == 0 || now-s.LastAt < int64(r.After) {
		return nil
	}
	last := &s.Open[0] // the innermost span that is open
	for i := range s.Open {
		if x := &s.Open[i]; t.busy[last.ID] || !t.busy[x.ID] && x.Begin >= last.Begin {
			last = x
		}
	}
	if last.Kind != schema.SpanLLM && s.answered(last) {
		return nil
	}
	f := of(r, last, fmt.Sprint(s.LastAt), s.LastAt+int64(r.After))
	f.Detail = fmt.Sprintf("no frame for more than %s while the %s %s is open", r.After, kindName(last.Kind), last.Name)
	f.Detail = strings.Replace(f.Detail, "  ", " ", 1)
	return []Finding{f}
}

// answered reports whether the last that ended in a span is a model call.
func (s *Session) answered(span *Span) bool {
	if s.ModelAt < span.Begin || s.ModelAt == 0 {
		return false
	}
	for i := range s.Calls {
		if c := &s.Calls[i]; max(c.Begin, c.Ended) >= s.ModelAt {
			return false
		}
	}
	return true
}

// errorRate finds a session in which a share of the last calls failed. The episode begins with the call that
// made the share so large, and ends when the share is smaller.
func errorRate(r *rule.Rule, s *Session) []Finding {
	var ended []*Span
	for i := range s.Calls {
		if c := &s.Calls[i]; !c.IsOpen() && r.Of(c.Name) {
			ended = append(ended, c)
		}
	}
	var since *Span
	failed, failedThen := 0, 0
	for i, c := range ended {
		failed += failure(c)
		if i >= r.Last {
			failed -= failure(ended[i-r.Last])
		}
		switch holds := i+1 >= r.Last && float64(failed)*100 >= r.Percent*float64(r.Last); {
		case !holds:
			since = nil
		case since == nil:
			since, failedThen = c, failed
		}
	}
	if since == nil {
		return nil
	}
	f := of(r, since, since.ID, max(since.Ended, since.Begin))
	f.Key = ""
	f.Detail = fmt.Sprintf("%d of %d tool calls in a row failed", failedThen, r.Last)
	return []Finding{f}
}

func failure(c *Span) int {
	if c.Status == schema.StatusError {
		return 1
	}
	return 0
}

// budget finds a session that used more than its budget. Its one episode lasts until the session ends.
func budget(r *rule.Rule, s *Session, now int64) []Finding {
	var over string
	switch {
	case r.Tokens > 0 && s.Tokens > r.Tokens:
		over = fmt.Sprintf("the session used %d tokens, more than %d", s.Tokens, r.Tokens)
	case r.Cost.IsPositive() && s.Costs[r.Currency].GreaterThan(r.Cost):
		over = fmt.Sprintf("the session cost %s %s, more than %s", s.Costs[r.Currency], r.Currency, r.Cost)
	default:
		return nil
	}
	return []Finding{{Rule: r.Name, Kind: r.Kind, Since: now, Detail: over}}
}

// of returns the finding of a rule about a span. Its key is the episode.
func of(r *rule.Rule, span *Span, episode string, since int64) Finding {
	return Finding{Rule: r.Name, Kind: r.Kind, Key: episode, Episode: episode, Since: since, SpanID: span.ID, SpanName: span.Name, Position: span.Position}
}

// shown writes a duration, ns, to a tenth of a second.
func shown(ns int64) string { return time.Duration(ns).Round(100 * time.Millisecond).String() }

func kindName(k schema.SpanKind) string {
	switch k {
	case schema.SpanLLM:
		return "model call"
	case schema.SpanTool:
		return "tool call"
	}
	return string(k)
}
