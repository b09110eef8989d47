package model

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// Conversation is one conversation in a stream. Its methods act at the present frame. The zero
// value with Stream set is ready.
type Conversation struct {
	*Stream
	// These are set on facts that begin. Session is "" if frames name none.
	Session, RunID, Node, Agent string
	Model, Provider             string
	// Billing is what frames without a usage state about price. It is set on usages; what a usage's
	// own JSON states takes precedence.
	Billing Billing
	// LocalTools: the ids of tool calls are unique in this stream only. Otherwise other streams
	// of the session may refer to the same calls.
	LocalTools bool
	// SharedID, if set, returns the ids of tool calls and their messages that begin with the
	// present frame. Streams with the same frames then have the same calls, although the calls'
	// own ids are unique within one stream only.
	SharedID func(kind string) string
	// Whole: messages come when they are complete, as in files of conversations. It is then not
	// known when the model said the first token.
	Whole bool
	// ToolLimit bounds the tool calls in progress. 0 means 256.
	ToolLimit int

	run, step, call *dialect.Span
	nested          bool               // run is a span of another conversation
	called          bool               // the run has had a call of a model
	unnamed         []*dialect.Message // of a request, until the run has an id
	texts           []text
	tools           []*Tool
	past            dialect.Recent // the ids of calls that ended
}

// fill sets the fields that a fact takes from the conversation.
func (t *Conversation) fill(f *schema.Fact) {
	f.Session, f.Run, f.Node, f.Agent = t.Session, t.RunID, t.Node, t.Agent
}

// Address fills in the present frame's envelope from the conversation.
func (t *Conversation) Address() {
	e := &t.Frame.Envelope
	e.Session, e.Run, e.Node, e.Agent = t.Session, t.RunID, t.Node, t.Agent
}

// open begins a span below parent.
func (t *Conversation) open(kind schema.SpanKind, id, name string, parent *dialect.Span) *dialect.Span {
	s := t.Emitter.OpenSpan(kind, id, name, t.Frame)
	t.fill(&s.Fact)
	s.Parent = idOf(parent)
	if t.Untimed {
		s.Started = 0
	}
	return s
}

func idOf(s *dialect.Span) string {
	if s == nil {
		return ""
	}
	return s.ID
}

// OpenRun begins a run. One in progress is abandoned.
func (t *Conversation) OpenRun(name string) *dialect.Span { return t.OpenRunAs(t.ID("run"), name) }

// OpenRunAs is OpenRun for a run that other streams may refer to as well. The id is globally
// unique.
func (t *Conversation) OpenRunAs(id, name string) *dialect.Span {
	t.Abandon()
	t.nested, t.called = false, false
	t.run = t.open(schema.SpanRun, id, name, nil)
	t.run.Model, t.run.Provider = t.Model, t.Provider
	return t.run
}

// Nest puts the facts of the conversation below a span of another conversation, such as the tool
// call in which a sub-agent works. The span takes the place of the run. Only its own conversation
// changes or ends it.
func (t *Conversation) Nest(span *dialect.Span) {
	t.Abandon()
	t.run, t.nested = span, span != nil
}

// Run is the run in progress, or nil.
func (t *Conversation) Run() *dialect.Span { return t.run }

// InRun returns the run in progress. It begins a run if there is none.
func (t *Conversation) InRun() *dialect.Span {
	if t.run == nil {
		t.OpenRun("")
	}
	return t.run
}

// RunAtEnd returns the run in progress for a frame that ends it. If there is none it begins a run
// without a start, as only its end was seen.
func (t *Conversation) RunAtEnd() *dialect.Span {
	if t.run == nil {
		t.OpenRun("").Started = 0
	}
	return t.run
}

// NameRun sets the id of the run after the run began. It also sets the id on open spans of the
// run and on the messages kept by AwaitID.
func (t *Conversation) NameRun(id string) {
	t.RunID = id
	for _, m := range t.unnamed {
		m.Run = id
		if m.Session == t.Session && (m.Kind == schema.MessageUser || m.Kind == schema.MessageSystem) {
			m.Span = idOf(t.run)
		}
		t.Emitter.ChangedMessage(m, t.Frame)
	}
	if id != "" {
		t.unnamed = nil
	}
	for _, s := range []*dialect.Span{t.own(), t.step, t.call} {
		if s != nil && s.Run == "" {
			s.Run = id
			t.Emitter.ChangedSpan(s, t.Frame)
		}
	}
}

// unnamedLimit bounds the messages that wait for the run's id.
const unnamedLimit = 64

// AwaitID keeps a message of a request until NameRun sets the id of the run, if the run has no id
// yet.
func (t *Conversation) AwaitID(m *dialect.Message) {
	if t.RunID == "" && len(t.unnamed) < unnamedLimit {
		t.unnamed = append(t.unnamed, m)
	}
}

// ForgetRun clears the id of the previous run and the messages that wait for it.
func (t *Conversation) ForgetRun() { t.RunID, t.unnamed = "", nil }

// ForgetModel clears the id of the run as ForgetRun does, and the model, the provider and the
// billing.
func (t *Conversation) ForgetModel() {
	t.ForgetRun()
	t.Model, t.Provider, t.Billing = "", "", Billing{}
}

// RequestModel sets the model that a request names. It may be empty.
func (t *Conversation) RequestModel(model []byte) {
	if len(model) > 0 {
		t.SetModel(string(model), "")
		t.Billing.RequestedModel = t.Model
	}
}

// EndRun ends the run and everything open in it. Steps and calls of a model end with the status
// of the run. Tool calls that did not end are unclosed, except calls that wait for a client:
// those stay waiting, as another stream may have their end.
func (t *Conversation) EndRun(status schema.Status, why []byte) {
	t.RunAtEnd()
	t.EndCall(status)
	t.EndStep(status)
	t.settle()
	if t.nested {
		return
	}
	if len(why) > 0 && t.run.Error == "" {
		t.run.Error = dialect.Short(why)
	}
	t.Emitter.CloseSpan(t.run, status, t.Frame)
	t.run, t.unnamed = nil, nil
}

// Abandon marks what is open as unclosed, as no more events of it will come.
func (t *Conversation) Abandon() {
	t.settle()
	for _, s := range []**dialect.Span{&t.call, &t.step, &t.run} {
		if *s != nil && !(t.nested && s == &t.run) {
			t.abandon(*s)
			*s = nil
		}
	}
}

// own returns the run in progress if it is not a span of another conversation, or nil.
func (t *Conversation) own() *dialect.Span {
	if t.nested {
		return nil
	}
	return t.run
}

// settle completes all messages and releases all tool calls.
func (t *Conversation) settle() {
	for i := range t.texts {
		t.Emitter.Complete(t.texts[i].message, t.Frame)
	}
	for _, tool := range t.tools {
		t.leave(tool)
	}
	t.texts, t.tools = nil, nil
}

// abandon marks a span as unclosed.
func (t *Conversation) abandon(s *dialect.Span) { t.SettleSpan(s, schema.StatusUnclosed) }

// OpenStep begins a step, node or sub-agent of the run. The previous step ends.
func (t *Conversation) OpenStep(name string) *dialect.Span {
	t.EndStep(schema.StatusOK)
	t.step = t.open(schema.SpanNode, t.ID("node"), name, t.InRun())
	return t.step
}

// Step returns the step in progress, or nil.
func (t *Conversation) Step() *dialect.Span { return t.step }

// EndStep ends the step and the call of a model in it.
func (t *Conversation) EndStep(status schema.Status) {
	if t.step == nil {
		return
	}
	t.EndCall(status)
	t.Emitter.CloseSpan(t.step, status, t.Frame)
	t.step = nil
}

// Place returns the span that is the parent of new spans: the step, else the run. It begins a run
// if there is none.
func (t *Conversation) Place() *dialect.Span {
	if t.step != nil {
		return t.step
	}
	return t.InRun()
}

// OpenCall begins a call of a model. A call in progress ends with the status ok.
func (t *Conversation) OpenCall() *dialect.Span { return t.OpenCallAs(t.ID("llm")) }

// OpenCallAs is OpenCall for a call that other streams may refer to as well.
func (t *Conversation) OpenCallAs(id string) *dialect.Span {
	t.EndCall(schema.StatusOK)
	t.call, t.called = t.open(schema.SpanLLM, id, t.Model, t.Place()), true
	t.call.Model, t.call.Provider = t.Model, t.Provider
	return t.call
}

// Call returns the call of a model in progress, or nil.
func (t *Conversation) Call() *dialect.Span { return t.call }

// InCall returns the call of a model in progress. It begins a call if there is none.
func (t *Conversation) InCall() *dialect.Span {
	if t.call == nil {
		t.OpenCall()
	}
	return t.call
}

// Resume continues a call of a model that had ended, as more of it came.
func (t *Conversation) Resume(call *dialect.Span) {
	if t.call != call {
		t.EndCall(schema.StatusOK)
		t.call = call
	}
}

// FirstToken records that the model has said something in the present call.
func (t *Conversation) FirstToken() {
	if t.call != nil && t.call.FirstToken == 0 && !t.Untimed && !t.Whole {
		t.call.FirstToken = t.Frame.At
		t.Emitter.ChangedSpan(t.call, t.Frame)
	}
}

// EndCall ends the call of a model, if one is in progress.
func (t *Conversation) EndCall(status schema.Status) {
	if t.call != nil {
		t.Emitter.CloseSpan(t.call, status, t.Frame)
		t.call = nil
	}
}

// EndCallAt ends the call of a model, if one is in progress, at a time in the past, ns.
func (t *Conversation) EndCallAt(status schema.Status, at int64) {
	if call := t.call; call != nil {
		t.EndCall(status)
		call.Ended = at
	}
}

// CorrectModel sets the model that an answer names, which is more exact than the requested one,
// on the conversation and on spans. Without a provider it sets the one that the model's name
// implies. Spans may be nil.
func (t *Conversation) CorrectModel(model []byte, provider string, spans ...*dialect.Span) {
	if len(model) == 0 || string(model) == t.Model && (provider == "" || provider == t.Provider) {
		return
	}
	t.SetModel(string(model), provider)
	for _, s := range spans {
		if s == nil {
			continue
		}
		s.Model, s.Provider = t.Model, t.Provider
		if s.Kind == schema.SpanLLM {
			s.Name = t.Model
		}
		t.Emitter.ChangedSpan(s, t.Frame)
	}
}

// AnswerModel is SetModel for the model that an answer names, before its call begins. A run has the
// model of its first call, also if an earlier run had another one.
func (t *Conversation) AnswerModel(model, provider string) {
	if run := t.own(); run != nil && !t.called {
		run.Model, run.Provider = "", ""
	}
	t.SetModel(model, provider)
}

// SetModel sets the model and its provider for facts that begin from now on, and on the call and
// the run in progress if they have none. Without a provider it sets the one that the model's name
// implies.
func (t *Conversation) SetModel(model, provider string) {
	if provider == "" {
		provider = dialect.ProviderOf(model)
	}
	t.Model, t.Provider = model, provider
	for _, s := range []*dialect.Span{t.call, t.own()} {
		if s == nil || s.Model != "" && s.Provider != "" {
			continue
		}
		if s.Model == "" {
			s.Model = model
			if s.Kind == schema.SpanLLM && s.Name == "" {
				s.Name = model
			}
		}
		if s.Provider == "" {
			s.Provider = provider
		}
		t.Emitter.ChangedSpan(s, t.Frame)
	}
}
