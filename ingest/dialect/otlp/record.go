package otlp

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tapedeck/internal/otlpwire"
	"tapedeck/schema"
)

// eventOf returns the name of the event that a log record is of. Coding agents put their own names
// into the body.
func eventOf(item *otlpwire.Item) string {
	if body := item.Body.Text(); strings.HasPrefix(body, "claude_code.") || strings.HasPrefix(body, "gemini_cli.") {
		return body
	}
	if item.Name != "" {
		return item.Name
	}
	return item.Attributes.Text("event.name")
}

// isOf reports whether a span or an event has a name with a prefix.
func isOf(item *otlpwire.Item, prefix string) bool {
	return strings.HasPrefix(item.Name, prefix) || strings.HasPrefix(eventOf(item), prefix)
}

// record reads a log record. Records of other events are kept in the frame alone.
func (r *reader) record(item *otlpwire.Item) {
	switch eventOf(item) {
	case "claude_code.api_request", "gemini_cli.api_response":
		id := r.call(item, schema.SpanLLM, modelOf(item.Attributes))
		r.usage(id, item, modelOf(item.Attributes), providerOf(item.Attributes))
	case "claude_code.api_error", "gemini_cli.api_error":
		r.call(item, schema.SpanLLM, modelOf(item.Attributes))
	case "claude_code.tool_result":
		r.call(item, schema.SpanTool, item.Attributes.Text("tool_name"))
	case "gemini_cli.tool_call":
		r.call(item, schema.SpanTool, item.Attributes.Text("function_name"))
	case "claude_code.user_prompt", "gemini_cli.user_prompt":
		r.user(item, item.Attributes.Text("prompt"))
	case "gen_ai.client.inference.operation.details":
		r.details(item)
	case "gen_ai.user.message":
		r.user(item, item.Body.Members().Text("content"))
	case "gen_ai.choice":
		r.choice(item)
	}
}

// call records a call that an event reports at its end. It returns the id of its span.
func (r *reader) call(item *otlpwire.Item, kind schema.SpanKind, name string) string {
	a := item.Attributes
	call := a.Text(callKeys...)
	id := schema.TraceSpanPrefix + "event:" + strconv.FormatUint(xxhash.Sum64(strconv.AppendInt(a.AppendJSON(nil), item.Start, 10)), 16)
	if kind == schema.SpanTool && call != "" {
		id = "tool:" + call
	}
	span := r.b.OpenSpan(kind, id, name, r.in.Frame)
	r.fill(&span.Fact, item)
	if prompt := a.Text("prompt.id", "prompt_id"); prompt != "" {
		span.Run = prompt
	}
	span.Started, span.Ended, span.Status = 0, r.in.At, schema.StatusOK
	if item.Timed() {
		span.Ended = item.End
	}
	if v, ok := a.Get("duration_ms"); ok {
		if ms, ok := v.Float(); ok && ms >= 0 && ms < 1e10 {
			span.Duration = int64(ms * 1e6)
			span.Started = max(span.Ended-span.Duration, 1)
		}
	}
	if why := a.Text("error", "error_message"); why != "" || !succeeded(a) || strings.HasSuffix(eventOf(item), "_error") {
		span.Status, span.Error = schema.StatusError, why
	}
	if kind == schema.SpanTool {
		span.CallID = call
	} else {
		span.Model, span.Provider = modelOf(a), providerOf(a)
	}
	return id
}

// details reads the event of the conventions that has the content and the usage of a call. Its span
// comes in another request.
func (r *reader) details(item *otlpwire.Item) {
	if item.TraceID == "" || item.SpanID == "" {
		return
	}
	id := schema.TraceSpan(item.TraceID, item.SpanID)
	r.usage(id, item, modelOf(item.Attributes), providerOf(item.Attributes))
	r.asked(item)
	r.answered(id, item)
}

// choice reads the event for an answer of the earlier conventions.
func (r *reader) choice(item *otlpwire.Item) {
	message, ok := item.Body.Members().Get("message")
	if text := message.Members().Text("content"); ok && text != "" && item.SpanID != "" {
		span := schema.TraceSpan(item.TraceID, item.SpanID)
		index, _ := item.Body.Members().Count("index")
		r.say(schema.MessageAssistant, "assistant:"+span+":"+strconv.FormatUint(index, 10), span, text, "text", item)
	}
}
