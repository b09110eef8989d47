package sessionotlp

import (
	"cmp"
	"encoding/json"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// converter converts the spans of one session.
type converter struct {
	options  Options
	session  *tapefacts.Session
	trace    string
	spans    map[string]*spanmerge.Span // by id
	usage    map[string][]*usagerecord.Record
	messages map[string][]*messagemerge.Message // by span
	calls    map[string][]*spanmerge.Span       // calls of tools by the span above them
}

func newConverter(s *tapefacts.Session, o Options) *converter {
	c := &converter{
		options: o, session: s, trace: traceID(s.Row.ID), spans: map[string]*spanmerge.Span{}, usage: s.UsageOfSpans(),
		messages: map[string][]*messagemerge.Message{}, calls: map[string][]*spanmerge.Span{},
	}
	for i := range s.Spans {
		from := &s.Spans[i]
		c.spans[from.ID] = from
		if from.Kind == string(schema.SpanTool) {
			c.calls[from.Parent] = append(c.calls[from.Parent], from)
		}
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		c.messages[m.Span] = append(c.messages[m.Span], m)
	}
	return c
}

// convert returns a span of the session as a span of OTLP.
func (c *converter) convert(from *spanmerge.Span) (span, error) {
	to := span{TraceID: c.trace, SpanID: spanID(from.ID), Start: from.Begin(), End: c.session.EndOf(from)}
	if c.spans[from.Parent] != nil && from.Parent != from.ID {
		to.Parent = spanID(from.Parent)
	}
	a := &to.Attributes
	switch schema.SpanKind(from.Kind) {
	case schema.SpanLLM:
		to.Kind = kindClient
		to.Name = c.addCall(a, from)
	case schema.SpanTool:
		to.Kind = kindInternal
		to.Name = named(a, "execute_tool", "gen_ai.tool.name", from.Name)
		a.text("gen_ai.agent.name", from.Agent)
		a.text("gen_ai.tool.call.id", from.Call)
	case schema.SpanNode:
		to.Kind = kindInternal
		if c.isSubAgent(from) {
			to.Name = named(a, "invoke_agent", "gen_ai.agent.name", from.Agent)
			break
		}
		to.Name = cmp.Or(from.Name, from.Kind)
		a.text("gen_ai.agent.name", from.Agent)
	default:
		to.Kind = kindInternal
		to.Name = named(a, "invoke_agent", "gen_ai.agent.name", cmp.Or(from.Agent, from.Name))
		a.text("gen_ai.request.model", from.Model)
	}
	a.text("gen_ai.conversation.id", c.session.Row.ID)
	c.addUsage(a, from)
	addStatus(&to, from)
	if c.options.Content {
		return to, c.addContent(&to, from)
	}
	return to, nil
}

// named adds an operation and the name of its object, and returns the name of the span.
func named(a *attributes, operation, key, name string) string {
	a.text("gen_ai.operation.name", operation)
	a.text(key, name)
	if name == "" {
		return operation
	}
	return operation + " " + name
}

// isSubAgent reports whether a node has another agent than the span above it. Other nodes are steps of their
// agent, for which the conventions have no operation.
func (c *converter) isSubAgent(node *spanmerge.Span) bool {
	above := c.spans[node.Parent]
	return node.Agent != "" && (above == nil || above.Agent != node.Agent)
}

// addCall adds what is known of a call of a model, and returns the name of the span.
func (c *converter) addCall(a *attributes, from *spanmerge.Span) string {
	provider, requested, served, id := from.Provider, "", from.Model, ""
	for _, r := range c.usage[from.ID] {
		provider = cmp.Or(provider, orEmpty(r.Provider))
		requested = cmp.Or(requested, orEmpty(r.RequestedModel))
		served = cmp.Or(served, orEmpty(r.Model))
		id = cmp.Or(id, orEmpty(r.MessageID))
	}
	name := named(a, "chat", "gen_ai.request.model", cmp.Or(requested, served))
	a.text("gen_ai.provider.name", providerName(provider))
	a.text("gen_ai.agent.name", from.Agent)
	a.text("gen_ai.response.model", served)
	a.text("gen_ai.response.id", id)
	a.texts("gen_ai.response.finish_reasons", stopReasons(from))
	if from.Started != 0 && from.FirstToken >= from.Started && from.FirstToken < c.session.EndOf(from) {
		a.boolean("gen_ai.request.stream", true)
		a.double("gen_ai.response.time_to_first_chunk", float64(from.FirstToken-from.Started)/1e9)
	}
	return name
}

// stopReasons returns why each choice of a call of a model ended, from the attributes of its span. Attributes of
// other types are skipped. A call that failed before it stated a reason has the one of the conventions for that.
func stopReasons(of *spanmerge.Span) []string {
	var stated struct {
		One string   `json:"stop_reason"`
		All []string `json:"stop_reasons"`
	}
	_ = json.Unmarshal([]byte(of.Attributes), &stated)
	switch {
	case stated.One != "":
		return []string{stated.One}
	case len(stated.All) == 0 && hasFailed(of):
		return []string{"error"}
	}
	return stated.All
}

// addUsage adds the tokens that are counted for a span itself. The tokens of the spans below it are theirs.
func (c *converter) addUsage(a *attributes, from *spanmerge.Span) {
	records := c.usage[from.ID]
	if len(records) == 0 {
		return
	}
	var t cost.Tokens
	for _, r := range records {
		t.Add(r.Tokens)
	}
	written := t.CacheWrite5m + t.CacheWrite1h
	a.integer("gen_ai.usage.input_tokens", t.Input+t.CacheRead+written)
	a.integer("gen_ai.usage.output_tokens", t.Output+t.Reasoning)
	for _, part := range []struct {
		key string
		n   int64
	}{
		{"gen_ai.usage.cache_read.input_tokens", t.CacheRead},
		{"gen_ai.usage.cache_write.input_tokens", written},
		{"gen_ai.usage.reasoning.output_tokens", t.Reasoning},
	} {
		if part.n != 0 {
			a.integer(part.key, part.n)
		}
	}
}

// addStatus adds how a span ended. The conventions leave the status of a success unset
// (https://opentelemetry.io/docs/specs/semconv/general/recording-errors/), as that of a span without an end of its own.
func addStatus(to *span, from *spanmerge.Span) {
	switch {
	case from.Status == string(schema.StatusOK):
	case !hasFailed(from):
		to.Attributes.text("tapedeck.status", from.Status)
	case from.Status == string(schema.StatusError):
		to.Status.Code = codeError
		to.Attributes.text("error.type", "_OTHER")
	default:
		to.Status.Code = codeError
		to.Attributes.text("error.type", from.Status)
	}
}

func hasFailed(s *spanmerge.Span) bool {
	switch schema.Status(s.Status) {
	case schema.StatusError, schema.StatusCancelled, schema.StatusRejected:
		return true
	}
	return false
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
