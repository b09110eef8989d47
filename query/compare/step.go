package compare

import (
	"cmp"
	"slices"
	"strings"

	"tapedeck/query/compare/align"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// Kind is the kind of a step.
type Kind string

// Kinds of steps. Spans become steps of the kinds llm, tool and node. A run is not a step: the
// steps inside it take its place.
const (
	KindModel     Kind = "llm"
	KindTool      Kind = "tool"
	KindNode      Kind = "node"
	KindUser      Kind = "user"
	KindSystem    Kind = "system"
	KindAssistant Kind = "assistant" // text outside of any model call
	KindError     Kind = "error"     // an error message outside of any span
	KindMessage   Kind = "message"   // any other
	KindEnd       Kind = "end"       // the end of a run that did not succeed
)

// content is one text of a step.
type content struct {
	text   string
	json   bool
	digest string // of the whole text, if it was cut
	norm   string // set by normalise

	texts, digests []string // of further messages, until join merges them
}

func (c *content) empty() bool { return c.text == "" }

// step is a step of a session with the steps inside it.
type step struct {
	kind     Kind
	name     string // of the tool, the node, the model
	agent    string
	id       string // of the span or message
	status   string
	err      string
	model    string
	position schema.Position
	number   int // number in the session, from 1
	begin    int64
	end      int64 // 0 if the step did not end
	first    int64 // time of the first token; 0 if unknown
	parent   *step
	children []*step

	arguments, result, text, thinking content
	request                           *requestRow // request of a model call; nil if it was not recorded
	usage                             []usagerecord.Addition
	split                             Split

	element    align.Element
	childrenID align.Hash // of the Keys of the children
}

// session is a session as a tree of steps.
type session struct {
	facts     *facts
	roots     []*step
	all       []*step // in order, each before the steps inside it
	truncated bool
}

// build returns a session as a tree of at most so many steps.
func build(f *facts, most int) *session {
	s := &session{facts: f, truncated: f.cut}
	b := &builder{byID: make(map[string]*step, len(f.spans)), spans: make(map[string]*spanmerge.Span, len(f.spans)),
		nodes: map[string]*step{}}
	b.addSpans(f.spans)
	b.addMessages(f.messages)
	b.addUsage(f.usage.Adds)
	b.addRequests(f.requests)
	s.roots = b.roots
	s.order(most)
	measure(s.all)
	return s
}

// order sorts the steps of each level, numbers all steps and drops the steps beyond the bound.
func (s *session) order(most int) {
	var visit func(list []*step) []*step
	visit = func(list []*step) []*step {
		slices.SortStableFunc(list, func(a, b *step) int {
			return cmp.Or(cmp.Compare(a.begin, b.begin), a.position.Compare(b.position), cmp.Compare(a.id, b.id))
		})
		for i, x := range list {
			if len(s.all) == most {
				s.truncated = true
				return list[:i]
			}
			s.all = append(s.all, x)
			x.number = len(s.all)
			x.children = visit(x.children)
		}
		return list
	}
	s.roots = visit(s.roots)
}

type builder struct {
	byID  map[string]*step
	spans map[string]*spanmerge.Span
	nodes map[string]*step // by the id of their node
	roots []*step
	calls []*step
}

func (b *builder) addSpans(spans []spanmerge.Span) {
	for i := range spans {
		sp := &spans[i]
		b.spans[sp.ID] = sp
		if schema.SpanKind(sp.Kind) != schema.SpanRun {
			st := ofSpan(sp)
			b.byID[sp.ID] = st
			if st.kind == KindNode && sp.Node != "" && b.nodes[sp.Node] == nil {
				b.nodes[sp.Node] = st
			}
			if st.kind == KindModel {
				b.calls = append(b.calls, st)
			}
		}
	}
	for i := range spans {
		sp := &spans[i]
		if st := b.byID[sp.ID]; st != nil {
			b.attach(st, b.above(sp))
		} else if status := schema.Status(sp.Status); status != schema.StatusOK && status.Ended() {
			b.attach(endOf(sp), b.above(sp))
		}
	}
}

func ofSpan(sp *spanmerge.Span) *step {
	st := &step{
		kind: Kind(sp.Kind), name: sp.Name, agent: sp.Agent, id: sp.ID,
		status: sp.Status, err: sp.Error, model: sp.Model,
		position: sp.Seen(), begin: sp.Begin(), first: sp.FirstToken,
	}
	if st.kind != KindModel && st.kind != KindTool {
		st.kind = KindNode // including spans whose start was not recorded
	}
	if d, ok := sp.Duration(); ok {
		st.end = st.begin + d
	}
	if sp.Started == 0 || st.first <= st.begin {
		st.first = 0
	}
	return st
}

func endOf(run *spanmerge.Span) *step {
	at := max(run.Ended, run.Closed, run.Begin())
	return &step{
		kind: KindEnd, name: run.Status, agent: run.Agent, id: run.ID, status: run.Status, err: run.Error,
		position: run.Seen(), begin: at, end: at,
	}
}

// above returns the step that contains a span: its nearest ancestor that is not a run.
func (b *builder) above(sp *spanmerge.Span) *step {
	for range len(b.spans) { // bounded: parents may form a cycle
		next := b.spans[sp.Parent]
		if next == nil {
			return nil
		}
		if st := b.byID[next.ID]; st != nil {
			return st
		}
		sp = next
	}
	return nil
}

// attach adds a step below another one, or to the roots if above is nil or the two steps contain
// each other.
func (b *builder) attach(st, above *step) {
	for up := above; up != nil; up = up.parent {
		if up == st {
			above = nil
			break
		}
	}
	if above == nil {
		b.roots = append(b.roots, st)
		return
	}
	st.parent = above
	above.children = append(above.children, st)
}

func (b *builder) addMessages(messages []messageRow) {
	assistant := slices.ContainsFunc(messages, func(m messageRow) bool {
		return m.Kind == string(schema.MessageAssistant)
	})
	for i := range messages {
		m := &messages[i]
		kind := schema.MessageKind(m.Kind)
		if kind == schema.MessageReply && assistant {
			continue // the message repeats the assistant's messages
		}
		of := b.byID[m.Span]
		if of != nil && of.take(kind, m) {
			continue
		}
		switch {
		case of == nil:
			of = cmp.Or(b.nodes[m.Node], b.ofRun(m))
		case of.kind == KindModel:
			of = of.parent
		}
		b.attach(ofMessage(kind, m), of)
	}
	for _, st := range b.byID {
		st.join()
	}
}

// ofRun returns the step that contains the run of a message, such as the tool call of a
// sub-agent.
func (b *builder) ofRun(m *messageRow) *step {
	if sp := b.spans[m.Span]; sp != nil && b.byID[m.Span] == nil {
		return b.above(sp)
	}
	return nil
}

// take adds a message to the step that produced it. It returns false if the message is a step of
// its own.
func (st *step) take(kind schema.MessageKind, m *messageRow) bool {
	switch {
	case st.kind == KindTool && kind == schema.MessageArguments:
		st.arguments.add(m)
	case st.kind == KindTool &&
		(kind == schema.MessageResult || kind == schema.MessageOutput || kind == schema.MessageError):
		// The output of a tool is part of its result, and the result may repeat it.
		if kind == schema.MessageOutput && !st.result.empty() ||
			kind == schema.MessageResult && len(st.result.texts) == 0 && m.Head == st.result.text {
			return true
		}
		st.result.add(m)
	case st.kind == KindModel && kind == schema.MessageThinking:
		st.thinking.add(m)
	case st.kind == KindModel &&
		(kind == schema.MessageAssistant || kind == schema.MessageReply || kind == schema.MessageError):
		st.text.add(m)
	default:
		return false
	}
	return true
}

// add adds a message. The texts are joined only once, since a step may have thousands of messages.
func (c *content) add(m *messageRow) {
	switch {
	case c.text == "":
		c.text, c.json = m.Head, m.Media == "json"
	case m.Head != "":
		c.texts, c.json = append(c.texts, m.Head), false
	}
	if m.Digest != "" {
		c.digests = append(c.digests, m.Digest)
	}
}

func (c *content) join() {
	if len(c.texts) > 0 {
		c.text = c.text + "\n" + strings.Join(c.texts, "\n")
	}
	c.digest += strings.Join(c.digests, "")
	c.texts, c.digests = nil, nil
}

func (st *step) join() {
	for _, c := range []*content{&st.arguments, &st.result, &st.text, &st.thinking} {
		c.join()
	}
}

func ofMessage(kind schema.MessageKind, m *messageRow) *step {
	st := &step{
		agent: m.Agent, id: m.ID, begin: m.Started, end: max(m.Ended, m.Started), status: string(schema.StatusOK),
		position: schema.Position{At: m.Seen, StreamID: m.Stream, Seq: m.SeenSeq},
	}
	switch kind {
	case schema.MessageUser:
		st.kind = KindUser
	case schema.MessageSystem:
		st.kind = KindSystem
	case schema.MessageAssistant, schema.MessageReply, schema.MessageThinking:
		st.kind = KindAssistant
	case schema.MessageError:
		st.kind, st.status = KindError, string(schema.StatusError)
	default:
		st.kind, st.name = KindMessage, strings.TrimSpace(m.Kind+" "+m.Name)
	}
	if kind == schema.MessageThinking {
		st.thinking.add(m)
	} else {
		st.text.add(m)
	}
	st.join()
	return st
}

func (b *builder) addUsage(usage []usagerecord.Addition) {
	for i := range usage {
		if st := b.byID[usage[i].SpanID]; st != nil {
			st.usage = append(st.usage, usage[i])
		}
	}
}

// addRequests assigns each request to the first model call of its stream at or after the request's
// frame.
func (b *builder) addRequests(requests []requestRow) {
	byStream := map[string][]*step{}
	for _, c := range b.calls {
		byStream[c.position.StreamID] = append(byStream[c.position.StreamID], c)
	}
	for _, calls := range byStream {
		slices.SortFunc(calls, func(a, b *step) int { return cmp.Compare(a.position.Seq, b.position.Seq) })
	}
	for i := range requests {
		r := &requests[i]
		calls := byStream[r.Stream]
		at, _ := slices.BinarySearchFunc(calls, r.Seq, func(c *step, seq uint64) int {
			return cmp.Compare(c.position.Seq, seq)
		})
		if at < len(calls) {
			calls[at].request = r
		}
	}
}
