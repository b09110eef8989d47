package sessionstreams

import "tapedeck/schema"

// OfStates returns the row of a session and its streams from the states of its streams, of which there
// is at least one, as a tape has them. A stream without an end counts as lost: nothing is added to a tape.
func OfStates(session string, states []schema.StreamState) (*Row, []Stream) {
	rows := make([]StreamRow, len(states))
	streams := make([]Stream, len(states))
	for i := range states {
		s, c := &states[i], &states[i].Counters
		rows[i] = StreamRow{
			ID: s.StreamID, Transport: s.Transport.String(), Dialect: s.Dialect, Evidence: s.Evidence, Source: s.Source,
			Tags: orEmpty(s.Tags), Title: s.Title, First: s.FirstAt, Last: max(s.FirstAt, s.LastAt), Ended: s.Ended,
			EndReason: s.EndReason, Digest: s.Digest, Recorder: s.Recorder, IsLost: s.Ended == 0,
			Frames: s.Frames, Bytes: s.Bytes, Redacted: orEmpty(s.Redacted), Limits: s.Limits, Original: true,
			NotJSON: c.NotJSON, InvalidUTF8: c.InvalidUTF8, Oversize: c.Oversize, Unknown: c.Unknown, Lost: c.Lost,
			Repeated: c.Repeated, Back: c.Back,
		}
		streams[i] = rows[i].Stream()
	}
	return addUp(session, rows), streams
}

// orEmpty returns an empty map for nil, as the database returns it.
func orEmpty[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
