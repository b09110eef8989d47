package codexappserver

import (
	"strconv"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// item is an item of a turn. Each frame has the whole item.
type item struct {
	*fastjson.Value
	raw       []byte
	id        []byte
	completed bool
}

func (t *thread) itemStarted(m *message)   { t.item(m, false) }
func (t *thread) itemCompleted(m *message) { t.item(m, true) }

func (t *thread) item(m *message, completed bool) {
	x := &item{m.Get("params", "item"), m.params("item"), m.GetStringBytes("params", "item", "id"), completed}
	read, known := items[string(x.GetStringBytes("type"))]
	if !known {
		t.d.Unknown()
		return
	}
	if read != nil && len(x.id) > 0 && !t.over(m.GetStringBytes("params", "turnId")) {
		t.InRun()
		t.named(m.GetStringBytes("params", "turnId"))
		read(t, x)
	}
}

// items maps the types of items to handlers. Types without a handler are known and have no facts.
var items = map[string]func(*thread, *item){
	"userMessage": (*thread).userMessage, "agentMessage": (*thread).agentMessage, "plan": (*thread).proposedPlan,
	"reasoning":        (*thread).reasoning,
	"commandExecution": (*thread).command, "fileChange": (*thread).fileChange, "mcpToolCall": (*thread).mcpCall,
	"dynamicToolCall": (*thread).dynamicCall, "collabAgentToolCall": (*thread).collabCall,
	"webSearch": (*thread).webSearch, "imageView": (*thread).imageView, "imageGeneration": (*thread).imageGeneration,
	"sleep": nil, "subAgentActivity": nil, "hookPrompt": nil, "enteredReviewMode": nil, "exitedReviewMode": nil,
	"contextCompaction": nil,
}

// userMessage reads a message of the user. It repeats the input of a request of this client.
func (t *thread) userMessage(x *item) {
	if x.completed && !t.prompted {
		t.user(dialect.RawMember(x.raw, "content"))
		t.prompted = true
	}
}

// planAttributes are the attributes of a proposed plan, which is an answer too.
const planAttributes = `{"item":"plan"}`

func (t *thread) agentMessage(x *item) { t.whole(x, schema.MessageAssistant, "") }
func (t *thread) proposedPlan(x *item) { t.whole(x, schema.MessageAssistant, planAttributes) }

// whole reads an item of text. Its end has the whole text.
func (t *thread) whole(x *item, kind schema.MessageKind, attributes string) {
	t.inCall()
	t.setText(kind, x.id, x.GetStringBytes("text"), attributes)
	if x.completed {
		t.Complete(kind, x.id)
	}
}

// setText sets the text of a message so far.
func (t *thread) setText(kind schema.MessageKind, key, text []byte, attributes string) {
	if len(text) == 0 {
		return
	}
	m := t.Growing(kind, key)
	if m == nil {
		m = t.BeginText(kind, key)
		m.Attributes = attributes
	}
	t.d.Emitter.SetText(m, text, t.d.Frame)
	t.FirstToken()
}

func (t *thread) agentMessageDelta(m *message) {
	t.delta(m, schema.MessageAssistant, m.GetStringBytes("params", "itemId"))
}

func (t *thread) planDelta(m *message) {
	if text := t.delta(m, schema.MessageAssistant, m.GetStringBytes("params", "itemId")); text != nil {
		text.Attributes = planAttributes
	}
}

// summaryDelta reads a piece of a part of a summary of the reasoning. Each part is a message.
func (t *thread) summaryDelta(m *message) {
	t.streamed = string(m.GetStringBytes("params", "itemId"))
	t.delta(m, schema.MessageThinking, partOf(m, "summaryIndex"))
}

// summaryPart reads the beginning of a part of a summary, which ends the part before.
func (t *thread) summaryPart(m *message) {
	id, n := m.GetStringBytes("params", "itemId"), m.GetInt("params", "summaryIndex")
	t.Complete(schema.MessageThinking, partKey(id, "summaryIndex", n-1))
}

// reasoningDelta reads a piece of a part of the reasoning itself.
func (t *thread) reasoningDelta(m *message) {
	t.streamed = string(m.GetStringBytes("params", "itemId"))
	t.delta(m, schema.MessageThinking, partOf(m, "contentIndex"))
}

// partOf returns the key of a part of an item of reasoning.
func partOf(m *message, index string) []byte {
	return partKey(m.GetStringBytes("params", "itemId"), index, m.GetInt("params", index))
}

func partKey(id []byte, index string, n int) []byte {
	return strconv.AppendInt(append(append([]byte{}, id...), index...), int64(n), 10)
}

// delta reads a piece of a text of the model.
func (t *thread) delta(m *message, kind schema.MessageKind, key []byte) *dialect.Message {
	text := m.GetStringBytes("params", "delta")
	if len(m.GetStringBytes("params", "itemId")) == 0 {
		t.d.Unknown()
		return nil
	}
	if len(text) == 0 || t.over(m.GetStringBytes("params", "turnId")) {
		return nil
	}
	t.inCall()
	t.named(m.GetStringBytes("params", "turnId"))
	return t.Append(kind, key, text)
}

// reasoning reads an item of reasoning: the parts of its summary, and of its text if that is shown.
// Parts that came in pieces are known.
func (t *thread) reasoning(x *item) {
	t.inCall()
	if !x.completed {
		return
	}
	streamed := t.streamed == string(x.id)
	for _, list := range [][2]string{{"summary", "summaryIndex"}, {"content", "contentIndex"}} {
		for i, part := range x.GetArray(list[0]) {
			if i == partLimit {
				break
			}
			key := partKey(x.id, list[1], i)
			if !streamed {
				t.setText(schema.MessageThinking, key, part.GetStringBytes(), "")
			}
			t.Complete(schema.MessageThinking, key)
		}
	}
}

// partLimit bounds the parts of one item of reasoning that are read.
const partLimit = 256
