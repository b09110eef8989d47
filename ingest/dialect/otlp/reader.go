package otlp

import (
	"strings"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// reader reads the items of one request.
type reader struct {
	d         *decoder
	in        *dialect.Input
	b         *dialect.Emitter
	session   string // the first that an item names
	onlyTrace string // the trace of all items; "" if there are several
	spans     map[string]*known
}

// known is a span of the request.
type known struct {
	item *otlpwire.Item
	kind kind
}

func newReader(d *decoder, in *dialect.Input, b *dialect.Emitter, e *otlpwire.Export) *reader {
	r := &reader{d: d, in: in, b: b, spans: map[string]*known{}}
	first, names := true, Namer{}
	e.All(func(g *otlpwire.Group, s *otlpwire.Scope, item *otlpwire.Item) {
		if r.session == "" {
			r.session = names.Session(g, item)
		}
		if first {
			r.onlyTrace = item.TraceID
		} else if r.onlyTrace != item.TraceID {
			r.onlyTrace = ""
		}
		first = false
		if e.Signal == otlpwire.Traces {
			r.spans[item.TraceID+item.SpanID] = &known{item, kindOf(item)}
		}
	})
	return r
}

// sessionKeys are the attributes that name the session of an item.
var sessionKeys = []string{
	"gen_ai.conversation.id", "session.id", "langfuse.session.id",
	"traceloop.association.properties.session_id", "traceloop.association.properties.chat_id",
	"ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.session_id", "ai.telemetry.metadata.chatId",
}

// Namer reads what names the sessions of a request's items. It reads each resource once, if the
// items come in their order.
type Namer struct {
	group            *otlpwire.Group
	session, service string
}

func (n *Namer) use(g *otlpwire.Group) {
	if n.group != g {
		n.group, n.session, n.service = g, g.Resource.Text(sessionKeys...), g.Resource.Text("service.name")
	}
}

// Session returns the session that an item, or else its resource, names; "" for none.
func (n *Namer) Session(g *otlpwire.Group, item *otlpwire.Item) string {
	if name := item.Attributes.Text(sessionKeys...); name != "" {
		return name
	}
	n.use(g)
	return n.session
}

// Service returns the "service.name" of a resource, "" for none.
func (n *Namer) Service(g *otlpwire.Group) string {
	n.use(g)
	return n.service
}

func (r *reader) item(_ *otlpwire.Group, s *otlpwire.Scope, item *otlpwire.Item) {
	if k := r.spans[item.TraceID+item.SpanID]; k != nil && k.item == item {
		r.span(s, item, k.kind)
		return
	}
	if len(r.spans) == 0 { // log records
		r.record(item)
	}
}

// factID returns the id of the fact of an item: that of its tool call, which a recorded stream may
// also have, or of its span.
func factID(item *otlpwire.Item, k kind) string {
	if call := item.Attributes.Text(callKeys...); k == toolKind && call != "" {
		return "tool:" + call
	}
	return schema.TraceSpan(item.TraceID, item.SpanID)
}

// maxParents bounds the spans between a span and its parent among the facts.
const maxParents = 64

// parent returns the id of the nearest span above an item that is a fact. A parent that is not in
// the request is taken for one, since it may be in another. of is that parent, if it is known.
func (r *reader) parent(item *otlpwire.Item) (id string, of *known) {
	above := item.ParentID
	for n := 0; above != "" && n < maxParents; n++ {
		k := r.spans[item.TraceID+above]
		switch {
		case k == nil:
			return schema.TraceSpan(item.TraceID, above), nil
		case k.item == item:
			return "", nil
		case k.kind != otherKind:
			return factID(k.item, k.kind), k
		}
		above = k.item.ParentID
	}
	return "", nil
}

// span reads a span. Spans of other kinds are kept in the frame alone.
func (r *reader) span(s *otlpwire.Scope, item *otlpwire.Item, k kind) {
	if item.TraceID == "" || item.SpanID == "" {
		return
	}
	if isLine(r.in) {
		r.adopt(item, k)
	}
	if k == otherKind {
		return
	}
	id := factID(item, k)
	parent, of := r.parent(item)
	if parent == id {
		parent = ""
	}
	made := schema.SpanNode
	switch {
	case k == llmKind:
		made = schema.SpanLLM
	case k == toolKind:
		made = schema.SpanTool
	case k == agentKind && of == nil && (parent == "" || !isLine(r.in)): // a line has no other span
		made = schema.SpanRun
	}
	span := r.b.OpenSpan(made, id, nameOf(item, k), r.in.Frame)
	r.fill(&span.Fact, item)
	span.Parent = parent
	if isLine(r.in) {
		r.await(span)
	}
	r.times(span, item)
	r.outcome(span, item)
	a := item.Attributes
	if k == toolKind {
		span.CallID = a.Text(callKeys...)
	} else {
		span.Model, span.Provider = modelOf(a), providerOf(a)
	}
	span.Attributes = about(s, item)
	switch k {
	case llmKind:
		r.usage(span.ID, item, span.Model, span.Provider)
		r.asked(item)
		r.answered(span.ID, item)
	case toolKind:
		r.toolTexts(&span.Span, item)
	case agentKind:
		r.asked(item)
	}
}

// await keeps a span of a line until the line of the span above comes, which ends later.
func (r *reader) await(span *dialect.Span) {
	d := r.d
	if span.Parent == "" || d.waiting >= orphanLimit {
		return
	}
	if d.orphans == nil {
		d.orphans = map[string][]*dialect.Span{}
	}
	d.orphans[span.Parent] = append(d.orphans[span.Parent], span)
	d.waiting++
}

// adopt sets the parent of the spans that were kept until the line of an item came: its fact, or
// what is above it if it is none.
func (r *reader) adopt(item *otlpwire.Item, k kind) {
	d, above := r.d, schema.TraceSpan(item.TraceID, item.SpanID)
	children := d.orphans[above]
	delete(d.orphans, above)
	d.waiting -= len(children)
	parent := factID(item, k)
	if k == otherKind {
		parent, _ = r.parent(item)
	}
	for _, span := range children {
		if parent == above || parent == span.ID {
			continue
		}
		span.Parent = parent
		r.b.ChangedSpan(span, r.in.Frame)
		if k == otherKind {
			r.await(span)
		}
	}
}

// fill sets the common fields of a fact.
func (r *reader) fill(f *schema.Fact, item *otlpwire.Item) {
	f.Session, f.Run, f.Agent = r.session, item.TraceID, agentOf(item.Attributes)
}

// times sets the times of a span. A span without times ended with its request.
func (r *reader) times(span *dialect.Span, item *otlpwire.Item) {
	if !item.Timed() {
		span.Started, span.Ended = 0, r.in.At
		return
	}
	span.Started, span.Ended = item.Start, item.End
	if first, ok := firstToken(item.Attributes); ok && item.Start > 0 && first <= span.Ended-span.Started {
		span.FirstToken = span.Started + first
	}
}

// outcome sets how a span ended.
func (r *reader) outcome(span *dialect.Span, item *otlpwire.Item) {
	span.Status = schema.StatusOK
	failure := item.Attributes.Text("error.type")
	if !item.Failed && failure == "" && !succeeded(item.Attributes) {
		failure = item.Attributes.Text("error", "error_message")
	}
	if !item.Failed && failure == "" {
		return
	}
	span.Status = schema.StatusError
	if failure == "cancelled" || failure == "context_canceled" {
		span.Status = schema.StatusCancelled
	}
	why := item.Status
	for i := range item.Events {
		if why == "" && item.Events[i].Name == "exception" {
			why = item.Events[i].Attributes.Text("exception.message", "exception.type")
		}
	}
	if why == "" {
		why = failure
	}
	span.Error = dialect.Short([]byte(why))
}

// succeeded reports whether the attributes do not state a failure.
func succeeded(a otlpwire.Attributes) bool {
	v, ok := a.Get("success")
	return !ok || !v.IsFalse()
}

// about returns the attributes of a span's fact.
func about(s *otlpwire.Scope, item *otlpwire.Item) string {
	var a dialect.Attributes
	if reason := stopReason(item.Attributes); reason != "" {
		a.AddText("stop_reason", reason)
	}
	a.AddText("otel_span", item.Name)
	a.AddText("otel_scope", s.Name)
	a.AddText("trace_id", item.TraceID)
	a.AddText("span_id", item.SpanID)
	return a.Text()
}

// stopReason returns the first reason for which a model stopped.
func stopReason(a otlpwire.Attributes) string {
	if v, ok := a.Get("gen_ai.response.finish_reasons"); ok && len(v.List()) > 0 {
		return v.List()[0].Text()
	}
	return strings.Trim(a.Text("gen_ai.response.finish_reasons", "ai.response.finishReason", "gen_ai.completion.0.finish_reason"), `"[]`)
}
