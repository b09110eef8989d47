package atif

import (
	"bytes"
	"encoding/json"
	"strings"

	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// addSaid adds a step for each instruction, each message of a user, and each message of an agent that belongs
// to no call of a model. The reply of a run is added unless it repeats a message of its agent.
func (b *builder) addSaid() {
	type message struct{ run, text string }
	said := map[message]bool{}
	for i := range b.session.Messages {
		if m := &b.session.Messages[i]; m.Kind == schema.MessageAssistant {
			said[message{m.Run, strings.TrimSpace(m.Text)}] = true
		}
	}
	for i := range b.session.Messages {
		m := &b.session.Messages[i]
		s := b.spans[m.Span]
		from, ok := map[schema.MessageKind]source{
			schema.MessageSystem: fromSystem, schema.MessageUser: fromUser,
			schema.MessageAssistant: fromAgent, schema.MessageReply: fromAgent,
		}[m.Kind]
		if !ok || m.Text == "" || m.Kind == schema.MessageReply && said[message{m.Run, strings.TrimSpace(m.Text)}] ||
			from == fromAgent && s != nil && s.Kind == string(schema.SpanLLM) {
			continue
		}
		at := m.Started
		if at == 0 {
			at = m.SeenAt
		}
		b.add(b.owner(s), at, &step{Source: from, Message: m.Text})
	}
}

// addModelCalls adds a step for each call of a model.
func (b *builder) addModelCalls() {
	for i := range b.session.Spans {
		s := &b.session.Spans[i]
		if s.Kind != string(schema.SpanLLM) {
			continue
		}
		one := 1
		to := &step{Source: fromAgent, Model: s.Model, ModelCalls: &one,
			Message: b.text(s, schema.MessageAssistant), Reasoning: b.text(s, schema.MessageThinking)}
		to.Extra = to.Extra.with("status", failed(s)).with("error", s.Error)
		if records := b.usage[s.ID]; len(records) > 0 {
			to.Metrics = metricsOf(records)
		}
		b.ofModel[s.ID] = b.add(b.owner(s), s.Begin(), to)
	}
}

// addToolCalls adds each call of a tool to the step of the call of a model that requested it. If the recording
// does not state which one that is, it is the last step of the agent that began before.
func (b *builder) addToolCalls() {
	for i := range b.session.Spans {
		s := &b.session.Spans[i]
		if s.Kind != string(schema.SpanTool) {
			continue
		}
		to := b.ofModel[s.Parent]
		if to == nil {
			to = b.lastBefore(b.owner(s), s.Begin())
		}
		id := s.Call
		if id == "" {
			id = s.ID
		}
		c := call{ID: id, Name: s.Name, Arguments: json.RawMessage("{}")}
		if text := b.text(s, schema.MessageArguments); isObject(text) {
			c.Arguments = json.RawMessage(text)
		} else {
			c.Extra = c.Extra.with("arguments", text)
		}
		to.Calls = append(to.Calls, c)
		r := result{CallID: id, Content: b.text(s, schema.MessageResult)}
		r.Extra = r.Extra.with("status", failed(s)).with("error", s.Error)
		observe(to, r)
		b.ofTool[s.ID] = place{to, len(to.Observation.Results) - 1}
	}
}

// lastBefore returns the last step of an agent that began at a time or before, ns. If there is none, it adds one
// without a call of a model.
func (b *builder) lastBefore(owner string, at int64) *step {
	var last *step
	for _, s := range b.steps[owner] {
		if s.Source == fromAgent && b.started[s] <= at && (last == nil || b.started[s] >= b.started[last]) {
			last = s
		}
	}
	if last == nil {
		last = b.add(owner, at, &step{Source: fromAgent, ModelCalls: new(int)})
	}
	return last
}

// refer adds a reference to the trajectory of a sub-agent to the result of the call of a tool that runs it. A
// sub-agent that no call runs is referred to by the last step before it.
func (b *builder) refer(s *spanmerge.Span) {
	ref := reference{s.ID}
	if p, ok := b.ofTool[s.Parent]; ok {
		r := &p.step.Observation.Results[p.index]
		r.SubAgents = append(r.SubAgents, ref)
		return
	}
	observe(b.lastBefore(b.owner(b.spans[s.Parent]), s.Begin()), result{SubAgents: []reference{ref}})
}

func observe(s *step, r result) {
	if s.Observation == nil {
		s.Observation = &observation{}
	}
	s.Observation.Results = append(s.Observation.Results, r)
}

// text returns the texts of a kind of a span, separated by empty lines.
func (b *builder) text(s *spanmerge.Span, kind schema.MessageKind) string {
	var parts []string
	for _, m := range b.messages[s.ID] {
		if m.Kind == kind && m.Text != "" {
			parts = append(parts, m.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// failed returns the status of a span that did not succeed, "" of others.
func failed(s *spanmerge.Span) string {
	if s.Status == string(schema.StatusOK) {
		return ""
	}
	return s.Status
}

// isObject reports whether a text is a JSON object.
func isObject(text string) bool {
	return bytes.HasPrefix(bytes.TrimSpace([]byte(text)), []byte("{")) && json.Valid([]byte(text))
}

// metricsOf sums usage records. The cost is that of the records with a price in USD, nil if there are none.
func metricsOf(records []*usagerecord.Record) *metrics {
	m := &metrics{}
	priced := false
	var cost float64
	for _, r := range records {
		t := r.Tokens
		m.Prompt += t.Input + t.CacheRead + t.CacheWrite5m + t.CacheWrite1h
		m.Completion += t.Output + t.Reasoning
		m.Cached += t.CacheRead
		if r.Cost != nil && r.Cost.Currency == "USD" {
			priced = true
			cost += r.Cost.Amount.InexactFloat64()
		}
	}
	if priced {
		m.Cost = &cost
	}
	return m
}
