package langgraph

import (
	"cmp"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// answer is an AI message and the call of a model that makes it. Graphs call models concurrently,
// so that several answers may grow at a time.
type answer struct {
	id     string   // of the message, bare; "" without one
	also   []string // its other ids, bare
	ofCall bool     // one of the ids is that of the call of the model
	whole  bool     // its whole message has come
	key    []byte   // the key of its growing texts
	ns     string   // newer protocol: its namespace
	node   string   // the name of its node
	span   *dialect.Span
	source source
	calls  []call
	usage  *dialect.Usage
	parts  int   // chunks whose usages are added up
	said   int64 // when it was seen last, ns
	done   bool
	placed bool // it is below its node
	exact  bool // the call's start was stated
}

// source is the mode of an answer's pieces. The same pieces may come in another mode as well.
type source int

const (
	nowhere source = iota
	partials
	tuples
	callbacks
	blocks
)

// openAnswers bounds the answers of a run that are kept.
const openAnswers = 64

// answer returns the answer with an id. Without an id it returns the latest growing answer
// without one.
func (d *decoder) answer(id []byte) *answer {
	id = bare(id)
	for i := len(d.answers) - 1; i >= 0; i-- {
		if a := d.answers[i]; a.hasID(id) && (a.id != "" || !a.done) {
			return a
		}
	}
	return nil
}

// begin begins an answer with a call of its model at the present frame.
func (d *decoder) begin(id []byte) *answer {
	run := d.inRun()
	d.finished = 0
	if len(d.answers) >= openAnswers {
		d.evict()
	}
	a := &answer{id: string(bare(id)), ofCall: ofCall(id), said: d.Frame.At}
	spanID := "llm:" + a.id
	if a.id == "" {
		spanID = d.ID("llm")
	}
	a.span = d.Emitter.OpenSpan(schema.SpanLLM, spanID, "", d.Frame)
	a.span.Session, a.span.Run, a.span.Agent, a.span.Parent = d.conv.Session, d.conv.RunID, d.conv.Agent, run.ID
	a.key = []byte(spanID)
	d.answers = append(d.answers, a)
	d.note(bare(id))
	return a
}

// evict drops the oldest answer that is done, or else the oldest.
func (d *decoder) evict() {
	drop := max(slices.IndexFunc(d.answers, func(a *answer) bool { return a.done }), 0)
	d.finish(d.answers[drop], schema.StatusUnclosed)
	d.answers = slices.Delete(d.answers, drop, drop+1)
}

// from reports whether pieces of the answer in a mode count: only the mode that came first does.
func (a *answer) from(s source) bool {
	if a.source == nowhere {
		a.source = s
	}
	return a.source == s && !a.done
}

// say adds to an answer's text and thoughts, or sets them whole.
func (d *decoder) say(a *answer, text, thought []byte, whole bool) {
	d.grow(a, schema.MessageThinking, thought, whole)
	d.grow(a, schema.MessageAssistant, text, whole)
}

func (d *decoder) grow(a *answer, kind schema.MessageKind, text []byte, whole bool) {
	if len(text) == 0 {
		return
	}
	m := d.conv.Growing(kind, a.key)
	if m == nil {
		id := d.ID(string(kind))
		if a.id != "" {
			id = string(kind) + ":" + a.id
		}
		m = d.conv.BeginTextAs(kind, a.key, id)
		m.Span, m.Node = a.span.ID, a.span.Node
	}
	if whole {
		d.Emitter.SetText(m, text, d.Frame)
	} else {
		d.Emitter.Append(m, text, d.Frame)
	}
	d.spoke(a)
}

// spoke records output of an answer's model.
func (d *decoder) spoke(a *answer) {
	a.said = d.Frame.At
	if a.span.FirstToken == 0 && a.span.Started != 0 {
		a.span.FirstToken = d.Frame.At
		d.Emitter.ChangedSpan(a.span, d.Frame)
	}
}

// finish ends an answer at its last piece. Its tools are executed from then on.
func (d *decoder) finish(a *answer, status schema.Status) {
	if a.done {
		return
	}
	a.done = true
	d.conv.Complete(schema.MessageAssistant, a.key)
	d.conv.Complete(schema.MessageThinking, a.key)
	d.finishArguments(a)
	d.SettleSpan(a.span, status)
	if status != schema.StatusUnclosed {
		a.span.Ended = max(a.said, a.span.Started)
	}
}

// describe reads the model of a message. last reports whether the message is complete.
func (d *decoder) describe(a *answer, m *fastjson.Value) (last bool) {
	meta := m.Get("response_metadata")
	d.setModel(a, dialect.FirstText(meta, "model_name", "model"), meta.GetStringBytes("model_provider"))
	reason := dialect.FirstText(meta, "finish_reason", "stop_reason")
	if len(reason) > 0 && a.span.Attributes == "" {
		a.span.Attributes = dialect.TextAttribute("stop_reason", string(reason))
		d.Emitter.ChangedSpan(a.span, d.Frame)
	}
	return len(reason) > 0 || string(m.GetStringBytes("chunk_position")) == "last"
}

// setModel sets an answer's model and its provider.
func (d *decoder) setModel(a *answer, model, provider []byte) {
	if len(model) == 0 || a.span.Model != "" {
		return
	}
	a.span.Model = string(model)
	a.span.Name = a.span.Model
	a.span.Provider = cmp.Or(providerOf(provider), dialect.ProviderOf(a.span.Model))
	d.Emitter.ChangedSpan(a.span, d.Frame)
	if run := d.conv.Run(); run != nil && run.Model == "" {
		run.Model, run.Provider = a.span.Model, a.span.Provider
		d.Emitter.ChangedSpan(run, d.Frame)
	}
	if a.usage != nil {
		a.usage.Model, a.usage.Provider = a.span.Model, a.span.Provider
		d.Emitter.ChangedUsage(a.usage, d.Frame)
	}
}

// providerOf returns the name of a provider that other dialects use.
func providerOf(name []byte) string {
	switch string(name) {
	case "google_genai", "google_vertexai":
		return "google"
	}
	return string(name)
}

// made reads the metadata of the call of a model: its node, its run and its model.
func (d *decoder) made(a *answer, meta *fastjson.Value) {
	d.setModel(a, meta.GetStringBytes("ls_model_name"), meta.GetStringBytes("ls_provider"))
	if a.node != "" {
		return
	}
	a.node = string(meta.GetStringBytes("langgraph_node"))
	task := taskOf(dialect.Alias(dialect.FirstText(meta, "langgraph_checkpoint_ns", "checkpoint_ns")))
	if task == "" {
		return
	}
	a.span.Node = string([]byte(task))
	d.Emitter.ChangedSpan(a.span, d.Frame)
	d.within(a, d.node([]byte(task)))
}

// within puts an answer into its node. The first call of a model in a node is assumed to begin
// with the node.
func (d *decoder) within(a *answer, n *node) {
	if n == nil || a.placed {
		return
	}
	a.span.Parent, a.placed = n.span.ID, true
	if !n.called && !a.exact && n.span.Started != 0 {
		a.span.Started = n.span.Started
	}
	n.called = true
	d.Emitter.ChangedSpan(a.span, d.Frame)
}
