package terminal

import (
	"cmp"
	"slices"
	"sort"

	"tapedeck/schema"
)

// Facts are the facts of a session, in any order. Facts with the same ID are merged. Usages of mode
// schema.UsageRunning are running totals of their scope.
type Facts struct {
	Start    int64 // when the session's first frame arrived, ns
	Spans    []schema.Span
	Messages []schema.Message
	Usages   []schema.Usage
}

// Story is the content of a session: a list of entries, each visible from its time on. It is
// immutable.
type Story struct {
	start   int64
	entries []entry
	calls   []*schema.Span // model calls, ordered by start
	turns   []int64        // when tool calls and runs began, ns
	spent   []spent        // ordered by time
}

// entry is a message, a tool call, or the start or the end of a run.
type entry struct {
	at      int64 // ns
	kind    entryKind
	message *schema.Message // set for a message
	span    *schema.Span    // set for a tool call or a run
	args    *schema.Message // arguments of a tool call; nil if there are none
	output  *schema.Message
	result  *schema.Message
}

type entryKind uint8

const (
	entryMessage entryKind = iota
	entryTool
	entryBegin
	entryEnd
)

// spent is the number of tokens used up to a time.
type spent struct {
	at  int64
	all schema.Tokens
}

// NewStory builds a story from facts.
func NewStory(f Facts) *Story {
	s := &Story{start: f.Start}
	spans := map[string]*schema.Span{}
	for i := range f.Spans {
		mergeSpan(spans, &f.Spans[i])
	}
	tools := map[string]*entry{} // by the id of the span
	for _, sp := range spans {
		switch sp.Kind {
		case schema.SpanTool:
			tools[sp.ID] = &entry{at: startOf(sp), kind: entryTool, span: sp}
		case schema.SpanRun:
			s.entries = append(s.entries, entry{at: startOf(sp), kind: entryBegin, span: sp})
			if sp.Ended > 0 {
				s.entries = append(s.entries, entry{at: sp.Ended, kind: entryEnd, span: sp})
			}
			s.turns = append(s.turns, startOf(sp))
		case schema.SpanLLM:
			s.calls = append(s.calls, sp)
		}
	}
	s.addMessages(f.Messages, tools)
	for _, e := range tools {
		s.entries = append(s.entries, *e)
		s.turns = append(s.turns, e.at)
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.id(), b.id()))
	})
	slices.SortFunc(s.calls, func(a, b *schema.Span) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.ID, b.ID))
	})
	slices.Sort(s.turns)
	s.turns = slices.Compact(s.turns)
	s.addUsages(f.Usages)
	return s
}

// rank orders entries of the same time.
func (e *entry) rank() int {
	switch {
	case e.kind == entryBegin:
		return 0
	case e.kind == entryEnd:
		return 9
	case e.kind == entryMessage && e.message.Kind == schema.MessageUser:
		return 1
	}
	return 2
}

func (e *entry) id() string {
	if e.message != nil {
		return e.message.ID
	}
	return e.span.ID
}

func startOf(s *schema.Span) int64 { return cmp.Or(s.Started, s.SeenAt) }

// mergeSpan merges the facts of several streams about a span. The merged span has the earliest
// start and the latest end; a tool call has the earliest end, since later requests may repeat a
// result.
func mergeSpan(spans map[string]*schema.Span, s *schema.Span) {
	old := spans[s.ID]
	if old == nil {
		c := *s
		spans[s.ID] = &c
		return
	}
	started := old.Started
	if started == 0 || s.Started > 0 && s.Started < started {
		started = s.Started
	}
	later := s.Ended > old.Ended
	if s.Kind == schema.SpanTool {
		later = old.Ended == 0 || s.Ended > 0 && s.Ended < old.Ended
	}
	name, seen := cmp.Or(old.Name, s.Name), min(old.SeenAt, s.SeenAt)
	if later {
		*old = *s
	}
	old.Started, old.Name, old.SeenAt = started, name, seen
}

// addMessages adds messages. Messages of a tool call are added to its entry. It skips a reply that
// repeats earlier text.
func (s *Story) addMessages(all []schema.Message, tools map[string]*entry) {
	first := map[string]*schema.Message{}
	spoke := map[string]bool{} // runs that have a message of the assistant
	for i := range all {
		m := &all[i]
		if old := first[m.ID]; old == nil || m.Started < old.Started {
			first[m.ID] = m
		}
		if m.Kind == schema.MessageAssistant && m.Text != "" {
			spoke[m.Run] = true
		}
	}
	for _, m := range first {
		tool := tools[m.Span]
		switch {
		case m.Kind == schema.MessageReply && spoke[m.Run], m.Text == "":
		case tool != nil && m.Kind == schema.MessageArguments:
			tool.args = m
		case tool != nil && m.Kind == schema.MessageOutput:
			tool.output = m
		case tool != nil && m.Kind == schema.MessageResult:
			tool.result = m
		default:
			s.entries = append(s.entries, entry{at: m.Started, kind: entryMessage, message: m})
		}
	}
}

func (s *Story) addUsages(all []schema.Usage) {
	usages := slices.Clone(all)
	slices.SortFunc(usages, func(a, b schema.Usage) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
	})
	latest := map[string]schema.Tokens{} // by scope for running totals, by id for others
	var sum schema.Tokens
	for _, u := range usages {
		key := "id " + u.ID
		if u.Mode == schema.UsageRunning {
			key = "scope " + u.Scope
		}
		sum = change(sum, latest[key], u.Tokens)
		latest[key] = u.Tokens
		s.spent = append(s.spent, spent{u.At, sum})
	}
}

// change replaces one count in a sum by another.
func change(sum, old, by schema.Tokens) schema.Tokens {
	sum.Input += by.Input - old.Input
	sum.CacheRead += by.CacheRead - old.CacheRead
	sum.CacheWrite5m += by.CacheWrite5m - old.CacheWrite5m
	sum.CacheWrite1h += by.CacheWrite1h - old.CacheWrite1h
	sum.Output += by.Output - old.Output
	sum.Reasoning += by.Reasoning - old.Reasoning
	return sum
}

// tokens returns the tokens used up to t, ns.
func (s *Story) tokens(t int64) schema.Tokens {
	n := sort.Search(len(s.spent), func(i int) bool { return s.spent[i].at > t })
	if n == 0 {
		return schema.Tokens{}
	}
	return s.spent[n-1].all
}

// turn returns when the next tool call or run after t began, or the previous one before t; false if
// there is none.
func (s *Story) turn(t int64, forward bool) (int64, bool) {
	if forward {
		if i := sort.Search(len(s.turns), func(i int) bool { return s.turns[i] > t }); i < len(s.turns) {
			return s.turns[i], true
		}
		return 0, false
	}
	if i := sort.Search(len(s.turns), func(i int) bool { return s.turns[i] >= t }); i > 0 {
		return s.turns[i-1], true
	}
	return 0, false
}

// shown returns the number of entries that have begun at t.
func (s *Story) shown(t int64) int {
	return sort.Search(len(s.entries), func(i int) bool { return s.entries[i].at > t })
}

// grown returns a message's text at t.
func grown(m *schema.Message, t int64) string {
	if m == nil || m.Started > t {
		return ""
	}
	if len(m.ChunkAt) == 0 || m.ChunkAt[len(m.ChunkAt)-1] <= t {
		return m.Text
	}
	n := sort.Search(len(m.ChunkAt), func(i int) bool { return m.ChunkAt[i] > t })
	if n == 0 {
		return ""
	}
	return m.Text[:min(int(m.ChunkEnd[n-1]), len(m.Text))]
}
