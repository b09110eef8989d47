package transcript

import "tapedeck/query/facts/messagemerge"

// OfMessages returns the messages of a session in memory, with how their texts grew, as Read returns them
// from the database. started is the session's start, ns.
func OfMessages(messages []messagemerge.Message, started int64) []Message {
	items := make([]Message, len(messages))
	for i := range messages {
		m := &messages[i]
		view := messagemerge.View{ID: m.ID, Stream: m.Stream, SeenAt: m.SeenAt, SeenSeq: m.SeenSeq, Complete: m.Complete,
			Started: m.Started, Ended: m.Ended}
		items[i] = messageOf(&view, &messageRow{Kind: string(m.Kind), Span: m.Span, Name: m.Name, Text: m.Text, Media: m.Media,
			Run: m.Run, Node: m.Node, Agent: m.Agent, Attributes: m.Attributes, ChunkAt: m.ChunkAt, ChunkEnd: m.ChunkEnd}, started, true)
	}
	return items
}
