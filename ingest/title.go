package ingest

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// FirstAnswer keeps the first words of the first answer among the messages of a session. They are
// its title if it has no message of the user.
type FirstAnswer struct {
	// Title is "" before the first answer.
	Title string
	id    string
}

// titleBytes bounds the text of which a title is made.
const titleBytes = 1024

// See takes a message, in the order in which the emitter returns them.
func (a *FirstAnswer) See(m *schema.Message) {
	if m.Kind != schema.MessageAssistant && m.Kind != schema.MessageReply || m.Media != "text" || a.id != "" && a.id != m.ID {
		return
	}
	if title := dialect.TitleOf([]byte(m.Text[:min(len(m.Text), titleBytes)])); title != "" {
		a.Title, a.id = title, m.ID
	}
}
