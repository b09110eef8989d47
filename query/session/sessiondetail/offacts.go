package sessiondetail

import (
	"time"
	"unicode/utf8"

	"tapedeck/query"
	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/schema"
)

// OfFacts returns a session in memory as Read returns it from the database.
func OfFacts(
	s *sessionstreams.Row, streams []sessionstreams.Stream, spans []spanmerge.Span, usage []usagerecord.Record,
	messages []messagemerge.Message,
) *Detail {
	var texts []runText
	for i := range messages {
		switch m := &messages[i]; m.Kind {
		case schema.MessageUser, schema.MessageAssistant, schema.MessageReply:
			texts = append(texts, runText{ID: m.ID, Span: m.Span, Run: m.Run, Kind: string(m.Kind), Started: m.Started,
				From: min(m.Started, m.SeenAt), Until: max(m.Started, m.Ended, m.SeenAt), Text: beginning(m.Text)})
		}
	}
	return build(s, streams, spans, usage, texts, query.DefaultQuietAfter, time.Now().UnixNano())
}

// beginning returns one character more of a text than an excerpt has.
func beginning(text string) string {
	at := 0
	for range sessionhead.ExcerptLength + 1 {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at]
}
