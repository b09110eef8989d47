package assert

import (
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/internal/console"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/schema"
)

// text checks the texts of messages: whether one has the text, or that none has it.
func (k *check) text(name string, t *Text) {
	assistant := slices.ContainsFunc(k.Messages, func(m messagemerge.Message) bool { return m.Kind == schema.MessageAssistant })
	var found *messagemerge.Message
	for i := range k.Messages {
		m := &k.Messages[i]
		// A reply repeats what the assistant said, unless it is all that was recorded of it.
		said := m.Kind == schema.MessageAssistant || m.Kind == schema.MessageReply && !assistant
		if (said || !t.Assistant) && t.in(m.Text) {
			found = m
			break
		}
	}
	switch {
	case found == nil && t.Absent:
		k.add(name, true, t.expected(), "no message has it", nil)
	case found == nil:
		k.add(name, false, t.expected(), "no message has it", nil)
	default:
		k.add(name, !t.Absent, t.expected(), "a message of kind "+string(found.Kind)+" has it",
			k.moment(found.Started, found.Seen(), found.Span))
	}
}

func (t *Text) in(text string) bool {
	if t.Matches != nil {
		return t.Matches.MatchString(text)
	}
	return strings.Contains(text, t.Contains)
}

func (t *Text) expected() string {
	condition := (&bisect.Question{Text: t.Contains}).Condition()
	if t.Matches != nil {
		condition = "matches " + strconv.Quote(t.Matches.String())
	}
	of := "a message "
	if t.Absent {
		of = "no message "
	}
	if t.Assistant {
		of += "of the assistant "
	}
	return of + console.Clip(condition, 200)
}
