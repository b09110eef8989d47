package model

import (
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// text is a message that grows.
type text struct {
	kind    schema.MessageKind
	key     string // its name in the frames, "" if they name none
	message *dialect.Message
}

// openTexts bounds the growing messages. The oldest is completed to make room.
const openTexts = 64

// Append adds a chunk to the growing message of a kind and key. If there is none it begins a
// message, in the call of a model or, without a call, in Place.
func (t *Conversation) Append(kind schema.MessageKind, key, chunk []byte) *dialect.Message {
	m := t.Growing(kind, key)
	if m == nil {
		m = t.BeginText(kind, key)
	}
	t.Emitter.Append(m, chunk, t.Frame)
	if len(chunk) > 0 && (kind == schema.MessageAssistant || kind == schema.MessageThinking) {
		t.FirstToken()
	}
	return m
}

// Growing returns the growing message of a kind and key, or nil.
func (t *Conversation) Growing(kind schema.MessageKind, key []byte) *dialect.Message {
	for i := range t.texts {
		if t.texts[i].kind == kind && t.texts[i].key == string(key) {
			return t.texts[i].message
		}
	}
	return nil
}

// BeginText begins a message that will grow.
func (t *Conversation) BeginText(kind schema.MessageKind, key []byte) *dialect.Message {
	return t.BeginTextAs(kind, key, t.ID(string(kind)))
}

// BeginTextAs is BeginText for a message that other streams may refer to as well. The id is
// globally unique.
func (t *Conversation) BeginTextAs(kind schema.MessageKind, key []byte, id string) *dialect.Message {
	m := t.message(kind, id)
	t.grows(m, key)
	return m
}

// grows adds a message to those that grow.
func (t *Conversation) grows(m *dialect.Message, key []byte) {
	if len(t.texts) >= openTexts {
		t.Emitter.Complete(t.texts[0].message, t.Frame)
		t.texts = slices.Delete(t.texts, 0, 1)
	}
	t.texts = append(t.texts, text{m.Kind, string(key), m})
}

func (t *Conversation) message(kind schema.MessageKind, id string) *dialect.Message {
	m := t.Emitter.OpenMessage(kind, id, t.Frame)
	t.fill(&m.Fact)
	m.Media = "text"
	switch {
	case kind == schema.MessageUser, kind == schema.MessageSystem:
		m.Span = idOf(t.run)
	case t.call != nil:
		m.Span = t.call.ID
	case t.step != nil:
		m.Span = t.step.ID
	default:
		m.Span = idOf(t.run)
	}
	return m
}

// Complete records that the message of a kind and key is complete.
func (t *Conversation) Complete(kind schema.MessageKind, key []byte) {
	t.texts = slices.DeleteFunc(t.texts, func(x text) bool {
		done := x.kind == kind && x.key == string(key)
		if done {
			t.Emitter.Complete(x.message, t.Frame)
		}
		return done
	})
}

// GrowAgain continues a message that was complete. It becomes the growing message of its kind and a
// key.
func (t *Conversation) GrowAgain(m *dialect.Message, key []byte) {
	m.Message.Complete = false
	t.grows(m, key)
}

// CompleteAll records that all growing messages are complete.
func (t *Conversation) CompleteAll() {
	for i := range t.texts {
		t.Emitter.Complete(t.texts[i].message, t.Frame)
	}
	clear(t.texts)
	t.texts = t.texts[:0]
}

// Say records a whole message.
func (t *Conversation) Say(kind schema.MessageKind, content []byte) *dialect.Message {
	return t.SayAs(kind, t.ID(string(kind)), content)
}

// SayAs is Say for a message that other streams may refer to as well.
func (t *Conversation) SayAs(kind schema.MessageKind, id string, content []byte) *dialect.Message {
	m := t.message(kind, id)
	t.Emitter.Append(m, content, t.Frame)
	m.Complete = true
	if kind == schema.MessageAssistant || kind == schema.MessageThinking {
		t.FirstToken()
	}
	return m
}

// UserMessage records a message of the user. The first one is the session's title.
func (t *Conversation) UserMessage(content []byte) *dialect.Message {
	t.Emitter.SetTitle(t.Session, content)
	return t.Say(schema.MessageUser, content)
}
