package stdio

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
)

// refusal is the error that answers a request without a recorded one.
type refusal struct {
	code int
	text string
}

// choose returns the turn that a message of the client begins, and records that it is played. If
// there is none, it returns the refusal.
func (s *server) choose(c *jsonrpc.Call, scopes []string) (*turn, *refusal) {
	best, level := s.mostSimilar(c)
	if len(best) == 0 {
		return nil, s.notRecorded(c)
	}
	slices.SortStableFunc(best, func(a, b *turn) int {
		return cmp.Or(
			first(slices.ContainsFunc(scopes, a.has), slices.ContainsFunc(scopes, b.has)),
			first(a.process == s.process, b.process == s.process),
			cmp.Compare(b.process, a.process),
		)
	})
	t := best[0]
	for _, other := range best[1:] {
		if s.chosen[other] < s.chosen[t] {
			t = other
		}
	}
	if s.chosen[t] > 0 {
		end := s.opts.Pacing.End
		switch {
		case end == emulate.Last, end == "" && level >= jsonrpc.SameButIDs:
			for _, other := range best {
				if other.process == t.process && other.at > t.at {
					t = other
				}
			}
		case end != emulate.Again:
			return nil, &refusal{jsonrpc.InvalidParams, fmt.Sprintf(
				"Session %q has %s recorded %s, and all of it was played. --end again plays it once more.",
				s.rec.session, c.Method, times(len(best)))}
		}
	}
	s.chosen[t]++
	s.process = t.process
	return t, nil
}

// mostSimilar returns the turns whose calls are the most similar to a call, in recorded order.
func (s *server) mostSimilar(c *jsonrpc.Call) (best []*turn, level jsonrpc.Similarity) {
	least := jsonrpc.SameTarget
	if s.opts.Pacing.MatchBody && c.Method != "initialize" {
		least = jsonrpc.SameButIDs
	}
	level = least
	for _, t := range s.rec.turns {
		if t.call.Method != c.Method {
			continue
		}
		switch like := c.Similarity(&t.call); {
		case like > level:
			best, level = append(best[:0], t), like
		case like == level:
			best = append(best, t)
		}
	}
	return best, level
}

// notRecorded returns the refusal of a call that was not recorded.
func (s *server) notRecorded(c *jsonrpc.Call) *refusal {
	var methods, targets []string
	for _, t := range s.rec.turns {
		if t.call.ID == "" {
			continue
		}
		methods = appendNew(methods, t.call.Method)
		if t.call.Method == c.Method && t.call.Target != "" {
			targets = appendNew(targets, t.call.Target)
		}
	}
	switch {
	case !slices.Contains(methods, c.Method):
		return &refusal{jsonrpc.MethodNotFound, fmt.Sprintf(
			"Session %q has no %s recorded, only %s.", s.rec.session, c.Method, strings.Join(methods, ", "))}
	case len(targets) > 0 && !slices.Contains(targets, c.Target):
		return &refusal{jsonrpc.InvalidParams, fmt.Sprintf(
			"Session %q has %s recorded of %s only.", s.rec.session, c.Method, strings.Join(targets, ", "))}
	}
	return &refusal{jsonrpc.InvalidParams, fmt.Sprintf("Session %q has %s recorded with other params only.", s.rec.session, c.Method)}
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
