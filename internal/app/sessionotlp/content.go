package sessionotlp

import (
	"encoding/json"

	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// message is a message of gen_ai.input.messages and gen_ai.output.messages.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

// part is a part of a message, or an instruction of gen_ai.system_instructions.
type part struct {
	Type      string `json:"type"` // text, reasoning or tool_call
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
}

// addContent adds the texts of a span, as the opt-in attributes of the conventions: for a call of a model what
// it put out, for a call of a tool its arguments and result, for a run what was asked and replied.
func (c *converter) addContent(to *span, from *spanmerge.Span) error {
	if to.Status.Code == codeError {
		to.Status.Message = from.Error
	}
	a := &to.Attributes
	switch schema.SpanKind(from.Kind) {
	case schema.SpanTool:
		a.text("gen_ai.tool.call.arguments", c.textOf(from, schema.MessageArguments))
		a.text("gen_ai.tool.call.result", c.textOf(from, schema.MessageResult))
		return nil
	case schema.SpanLLM:
		parts := c.parts(from, map[schema.MessageKind]string{schema.MessageThinking: "reasoning", schema.MessageAssistant: "text"})
		return addMessages(a, "gen_ai.output.messages", "assistant", append(parts, c.requested(from)...))
	}
	text := func(kind schema.MessageKind) []part {
		return c.parts(from, map[schema.MessageKind]string{kind: "text"})
	}
	if system := text(schema.MessageSystem); len(system) > 0 {
		if err := a.json("gen_ai.system_instructions", system); err != nil {
			return err
		}
	}
	if err := addMessages(a, "gen_ai.input.messages", "user", text(schema.MessageUser)); err != nil {
		return err
	}
	said := text(schema.MessageReply)
	if len(said) == 0 {
		said = text(schema.MessageAssistant)
	}
	return addMessages(a, "gen_ai.output.messages", "assistant", said)
}

// addMessages adds one message with the parts, unless there are none.
func addMessages(a *attributes, key, role string, parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	return a.json(key, []message{{role, parts}})
}

// parts returns the messages of a span as parts, of the kinds that have a type, in order of time.
func (c *converter) parts(of *spanmerge.Span, types map[schema.MessageKind]string) []part {
	var parts []part
	for _, m := range c.messages[of.ID] {
		if name := types[m.Kind]; name != "" && m.Text != "" {
			parts = append(parts, part{Type: name, Content: m.Text})
		}
	}
	return parts
}

// requested returns the calls of tools that a call of a model requested.
func (c *converter) requested(from *spanmerge.Span) []part {
	var parts []part
	for _, tool := range c.calls[from.ID] {
		p := part{Type: "tool_call", ID: tool.Call, Name: tool.Name}
		if text := c.textOf(tool, schema.MessageArguments); json.Valid([]byte(text)) {
			p.Arguments = json.RawMessage(text)
		} else if text != "" {
			p.Arguments = text
		}
		parts = append(parts, p)
	}
	return parts
}

// textOf returns the text of the last message of a kind of a span.
func (c *converter) textOf(of *spanmerge.Span, kind schema.MessageKind) string {
	var last *messagemerge.Message
	for _, m := range c.messages[of.ID] {
		if m.Kind == kind {
			last = m
		}
	}
	if last == nil {
		return ""
	}
	return last.Text
}
