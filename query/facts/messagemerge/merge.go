// Package messagemerge merges the views that several streams have of one message.
package messagemerge

import (
	"cmp"
	"slices"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Message is a message, with the stream whose view of it was chosen.
type Message struct {
	schema.Message
	Stream string
}

// Seen returns the position of the first frame that mentions the message.
func (m *Message) Seen() schema.Position {
	return schema.Position{At: m.SeenAt, StreamID: m.Stream, Seq: m.SeenSeq}
}

// OfFacts returns the messages of a session from its facts by stream, ordered by start. Of the views of
// a message a complete one is preferred to an incomplete one, then the longer text, then the earlier
// start, then the higher version, as in the transcript of a server.
func OfFacts(facts map[string]*block.Facts) []Message {
	var views []Message
	for stream, of := range facts {
		for _, m := range of.Messages {
			views = append(views, Message{m, stream})
		}
	}
	slices.SortFunc(views, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), compareBool(b.Complete, a.Complete), cmp.Compare(len(b.Text), len(a.Text)),
			cmp.Compare(a.Started, b.Started), cmp.Compare(b.Version, a.Version), cmp.Compare(b.Stream, a.Stream),
			cmp.Compare(b.SeenSeq, a.SeenSeq))
	})
	merged := slices.CompactFunc(views, func(a, b Message) bool { return a.ID == b.ID })
	slices.SortFunc(merged, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), a.Seen().Compare(b.Seen()), cmp.Compare(a.ID, b.ID))
	})
	return merged
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
