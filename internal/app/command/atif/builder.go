package atif

import (
	"cmp"
	"slices"
	"time"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// root is the owner of what no sub-agent said or did.
const root = ""

// builder makes the trajectories of a session: one of the session, and one of each sub-agent.
type builder struct {
	session  *tapefacts.Session
	spans    map[string]*spanmerge.Span
	usage    map[string][]*usagerecord.Record
	messages map[string][]*messagemerge.Message // by span

	owners  map[string]string  // the owners of spans
	steps   map[string][]*step // by owner
	started map[*step]int64    // ns
	ofModel map[string]*step   // the step of a call of a model, by its span
	ofTool  map[string]place   // the result of a call of a tool, by its span
}

// place is the place of a result among those of a step.
type place struct {
	step  *step
	index int
}

func newBuilder(s *tapefacts.Session) *builder {
	b := &builder{session: s, spans: map[string]*spanmerge.Span{}, usage: s.UsageOfSpans(),
		messages: map[string][]*messagemerge.Message{}, owners: map[string]string{}, steps: map[string][]*step{},
		started: map[*step]int64{}, ofModel: map[string]*step{}, ofTool: map[string]place{}}
	for i := range s.Spans {
		b.spans[s.Spans[i].ID] = &s.Spans[i]
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		b.messages[m.Span] = append(b.messages[m.Span], m)
	}
	return b
}

// build returns the trajectory of the session, and the number of all steps.
func (b *builder) build() (*trajectory, int) {
	b.addSaid()
	b.addModelCalls()
	b.sortSteps()
	b.addToolCalls()
	agents := b.subAgents()
	for _, s := range agents {
		b.refer(s)
	}
	b.sortSteps()
	all := map[string]*trajectory{root: b.trajectory(root, nil)}
	for _, s := range agents {
		all[s.ID] = b.trajectory(s.ID, s)
	}
	count := 0
	for _, s := range agents {
		above := all[b.owner(b.spans[s.Parent])]
		above.SubAgents = append(above.SubAgents, all[s.ID])
	}
	for _, t := range all {
		count += len(t.Steps)
	}
	return all[root], count
}

// subAgents returns the spans of the sub-agents that have steps, or have sub-agents with steps, ordered by start.
func (b *builder) subAgents() []*spanmerge.Span {
	kept := map[string]bool{root: true}
	for i := range b.session.Spans {
		s := &b.session.Spans[i]
		for at := b.owner(s); len(b.steps[b.owner(s)]) > 0 && !kept[at]; at = b.owner(b.spans[b.spans[at].Parent]) {
			kept[at] = true
		}
	}
	var list []*spanmerge.Span
	for i := range b.session.Spans {
		if s := &b.session.Spans[i]; kept[s.ID] {
			list = append(list, s)
		}
	}
	return list
}

// owner returns the id of the nearest sub-agent at or above a span, root if there is none. A sub-agent is a node
// with another agent than the span above it. Spans whose parents form a circle belong to the root.
func (b *builder) owner(s *spanmerge.Span) string {
	if s == nil {
		return root
	}
	if known, ok := b.owners[s.ID]; ok {
		return known
	}
	found, at := root, s
	for range len(b.spans) {
		above := b.spans[at.Parent]
		if above == nil {
			b.owners[s.ID] = found
			return found
		}
		if found == root && at.Kind == string(schema.SpanNode) && at.Agent != "" && above.Agent != at.Agent {
			found = at.ID
		}
		at = above
	}
	b.owners[s.ID] = root
	return root
}

// add adds a step of an owner that began at a time, ns.
func (b *builder) add(owner string, at int64, s *step) *step {
	s.Time = time.Unix(0, at).UTC().Format(time.RFC3339Nano)
	b.steps[owner] = append(b.steps[owner], s)
	b.started[s] = at
	return s
}

// sortSteps orders the steps of each owner by time. Steps of one time stay in the order in which they were
// added: what was said before calls.
func (b *builder) sortSteps() {
	for _, list := range b.steps {
		slices.SortStableFunc(list, func(x, y *step) int { return cmp.Compare(b.started[x], b.started[y]) })
	}
}

// trajectory returns the trajectory of an owner: of a sub-agent, whose span is given, or of the session.
func (b *builder) trajectory(owner string, s *spanmerge.Span) *trajectory {
	t := &trajectory{Version: "ATIF-v1.7", SessionID: b.session.Row.ID, TrajectoryID: cmp.Or(owner, b.session.Row.ID),
		Agent: agent{Name: "unknown", Version: "unknown"}, Steps: b.steps[owner]}
	if s != nil {
		t.Agent.Name = s.Agent
	}
	for i, st := range t.Steps {
		st.ID = i + 1
		t.Agent.Model = cmp.Or(t.Agent.Model, st.Model)
	}
	var spent []*usagerecord.Record
	for i := range b.session.Spans {
		x := &b.session.Spans[i]
		if b.owner(x) != owner {
			continue
		}
		spent = append(spent, b.usage[x.ID]...)
		if s == nil && t.Agent.Name == "unknown" && x.Kind == string(schema.SpanRun) {
			t.Agent.Name = cmp.Or(x.Agent, x.Name, "unknown")
		}
	}
	m := metricsOf(spent)
	t.Totals = totals{m.Prompt, m.Completion, m.Cached, m.Cost, len(t.Steps)}
	return t
}
