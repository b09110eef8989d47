package otlp

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/internal/otlpwire"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// spoken is a message of a prompt or an answer.
type spoken struct{ role, text, reasoning string }

// maxMessages bounds the messages of a prompt or an answer that are numbered attributes.
const maxMessages = 10_000

// asked records what the user said: the last message of a prompt, unless it is of another role. Its
// id follows from its text and the trace, since each call of an agent repeats the prompt.
func (r *reader) asked(item *otlpwire.Item) {
	all := prompt(item.Attributes)
	if len(all) == 0 {
		return
	}
	if last := all[len(all)-1]; last.role == "user" {
		r.user(item, last.text)
	}
}

func (r *reader) user(item *otlpwire.Item, text string) {
	if text == "" {
		return
	}
	of := item.TraceID
	if of == "" {
		of = item.Attributes.Text("prompt.id")
	}
	m := r.b.Say(schema.MessageUser, "user:"+schema.TraceSpanPrefix+of+":"+strconv.FormatUint(xxhash.Sum64String(text), 16), []byte(text), r.in.Frame)
	r.fill(&m.Fact, item)
	m.Media = "text"
	if item.Timed() && item.Start > 0 {
		m.Started, m.Ended = item.Start, item.Start
	}
	r.b.SetTitle(r.session, []byte(text))
}

// answered records what a model said.
func (r *reader) answered(span string, item *otlpwire.Item) {
	for i, said := range answer(item.Attributes) {
		for _, of := range [...]struct {
			kind schema.MessageKind
			text string
		}{{schema.MessageThinking, said.reasoning}, {schema.MessageAssistant, said.text}} {
			if of.text != "" {
				r.say(of.kind, string(of.kind)+":"+span+":"+strconv.Itoa(i), span, of.text, "text", item)
			}
		}
	}
}

// say records a whole text of a span, at the span's end.
func (r *reader) say(kind schema.MessageKind, id, span, text, media string, item *otlpwire.Item) *schema.Message {
	m := r.b.Say(kind, id, []byte(text), r.in.Frame)
	r.fill(&m.Fact, item)
	m.Span, m.Media = span, media
	if item.Timed() {
		m.Started, m.Ended = item.End, item.End
	}
	return &m.Message
}

// toolTexts records the arguments and the result of a call.
func (r *reader) toolTexts(span *schema.Span, item *otlpwire.Item) {
	a := item.Attributes
	if text := a.Text("gen_ai.tool.call.arguments", "ai.toolCall.args", "tool_parameters", "input.value", "traceloop.entity.input"); text != "" {
		m := r.say(schema.MessageArguments, "arguments:"+schema.TraceSpan(item.TraceID, item.SpanID), span.ID, text, mediaOf(text), item)
		m.Name = span.Name
		if span.Started > 0 {
			m.Started, m.Ended = span.Started, span.Started
		}
	}
	if text := a.Text("gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output"); text != "" {
		id := "result:" + schema.TraceSpan(item.TraceID, item.SpanID)
		if span.CallID != "" {
			id = "result:" + span.CallID
		}
		r.say(schema.MessageResult, id, span.ID, text, mediaOf(text), item).Name = span.Name
	}
}

func mediaOf(text string) string {
	if trimmed := strings.TrimSpace(text); trimmed != "" && (trimmed[0] == '{' || trimmed[0] == '[') && wellformed.JSON([]byte(text)) {
		return "json"
	}
	return "text"
}

// prompt returns the messages of a prompt.
func prompt(a otlpwire.Attributes) []spoken {
	if all := listed(a.Text("gen_ai.input.messages", "ai.prompt.messages")); len(all) > 0 {
		return all
	}
	if all := numbered(a, "gen_ai.prompt.", "."); len(all) > 0 {
		return all
	}
	return numbered(a, "llm.input_messages.", ".message.")
}

// answer returns the messages of an answer.
func answer(a otlpwire.Attributes) []spoken {
	if all := listed(a.Text("gen_ai.output.messages")); len(all) > 0 {
		return all
	}
	if text, thought := a.Text("ai.response.text", "ai.result.text"), a.Text("ai.response.reasoning"); text+thought != "" {
		return []spoken{{"assistant", text, thought}}
	}
	if all := numbered(a, "gen_ai.completion.", "."); len(all) > 0 {
		return all
	}
	return numbered(a, "llm.output_messages.", ".message.")
}

// numbered reads messages that are spread over attributes, such as gen_ai.prompt.0.role.
func numbered(a otlpwire.Attributes, prefix, infix string) (all []spoken) {
	values := map[string]string{}
	for i := range a {
		if rest, ok := strings.CutPrefix(a[i].Key, prefix); ok {
			values[rest] = a[i].Value.Text()
		}
	}
	for n := range min(len(values), maxMessages) {
		at := strconv.Itoa(n) + infix
		role, has := values[at+"role"]
		content, said := values[at+"content"]
		var parts strings.Builder
		for k := range min(len(values), maxMessages) {
			part, ok := values[at+"contents."+strconv.Itoa(k)+".message_content.text"]
			if !ok {
				break
			}
			parts.WriteString(part)
			said = true
		}
		content += parts.String()
		if !has && !said {
			return all
		}
		if parts, thought := partsOf(content); parts != "" || thought != "" {
			all = append(all, spoken{role, parts, thought})
			continue
		}
		all = append(all, spoken{role, content, ""})
	}
	return all
}

// partsOf reads a content that is the JSON text of a list of parts.
func partsOf(content string) (text, reasoning string) {
	if mediaOf(content) != "json" || !strings.HasPrefix(strings.TrimSpace(content), "[") {
		return "", ""
	}
	v, err := fastjson.Parse(content)
	if err != nil {
		return "", ""
	}
	return texts(v)
}

// listed reads messages that are one JSON text.
func listed(text string) (all []spoken) {
	if !wellformed.JSON([]byte(text)) {
		return nil
	}
	v, err := fastjson.Parse(text)
	if err != nil {
		return nil
	}
	for _, m := range v.GetArray() {
		said := spoken{role: string(m.GetStringBytes("role"))}
		switch content := m.Get("content"); {
		case m.Exists("parts"):
			said.text, said.reasoning = texts(m.Get("parts"))
		case content != nil && content.Type() == fastjson.TypeString:
			said.text = string(content.GetStringBytes())
		default:
			said.text, said.reasoning = texts(content)
		}
		all = append(all, said)
	}
	return all
}

// texts joins the parts of a message that are text, and those that are reasoning.
func texts(parts *fastjson.Value) (text, reasoning string) {
	var said, thought strings.Builder
	for _, part := range parts.GetArray() {
		content := part.GetStringBytes("content")
		if content == nil {
			content = part.GetStringBytes("text")
		}
		switch string(part.GetStringBytes("type")) {
		case "text":
			said.Write(content)
		case "reasoning", "thinking":
			thought.Write(content)
		}
	}
	return said.String(), thought.String()
}
