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

// View is one stream's view of a message, without its text.
type View struct {
	ID       string `ch:"message_id"`
	Stream   string `ch:"stream_id"`
	SeenAt   int64  `ch:"seen_ns"`
	SeenSeq  uint64 `ch:"seen_seq"`
	Version  uint64 `ch:"version"`
	Complete bool   `ch:"complete"`
	Size     uint64 `ch:"size"` // of the text, bytes
	Started  int64  `ch:"started_ns"`
	Ended    int64  `ch:"ended_ns"`
	Index    int    `ch:"-"` // of the message in a list of the caller
}

// Merge returns the preferred view of each message: a complete view before an incomplete one, then the
// longer text, then the view that began first, then the higher version. The messages are ordered by
// start. It reorders the list.
func Merge(views []View) []View {
	slices.SortFunc(views, func(a, b View) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), compareBool(b.Complete, a.Complete), cmp.Compare(b.Size, a.Size),
			cmp.Compare(a.Started, b.Started), cmp.Compare(b.Version, a.Version), cmp.Compare(b.Stream, a.Stream),
			cmp.Compare(b.SeenSeq, a.SeenSeq))
	})
	merged := slices.CompactFunc(views, func(a, b View) bool { return a.ID == b.ID })
	slices.SortFunc(merged, func(a, b View) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(a.SeenAt, b.SeenAt),
			cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.SeenSeq, b.SeenSeq), cmp.Compare(a.ID, b.ID))
	})
	return merged
}

// OfFacts returns the messages of a session from its facts by stream, merged and ordered as by Merge.
func OfFacts(facts map[string]*block.Facts) []Message {
	var all []Message
	var views []View
	for stream, of := range facts {
		for _, m := range of.Messages {
			views = append(views, View{
				ID: m.ID, Stream: stream, SeenAt: m.SeenAt, SeenSeq: m.SeenSeq, Version: m.Version, Complete: m.Complete,
				Size: uint64(len(m.Text)), Started: m.Started, Ended: m.Ended, Index: len(all),
			})
			all = append(all, Message{m, stream})
		}
	}
	var list []Message
	for _, v := range Merge(views) {
		list = append(list, all[v.Index])
	}
	return list
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
