package spanmerge

import (
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema/block"
)

// OfFacts returns the merged spans of a session from its facts by stream, as OfSession returns them
// from the database.
func OfFacts(s *sessionstreams.Row, facts map[string]*block.Facts) []Span {
	var views []Span
	for stream, of := range facts {
		for i := range of.Spans {
			f := &of.Spans[i]
			views = append(views, Span{
				ID: f.ID, Stream: stream, SeenAt: f.SeenAt, SeenSeq: f.SeenSeq, Version: f.Version,
				Kind: string(f.Kind), Parent: f.Parent, Name: f.Name, Status: string(f.Status),
				Started: f.Started, Ended: f.Ended, FirstToken: f.FirstToken, Reported: f.Duration,
				Run: f.Run, Node: f.Node, Agent: f.Agent, Call: f.CallID, Model: f.Model, Provider: f.Provider,
				Error: f.Error, Attributes: f.Attributes,
			})
		}
	}
	return mergeSession(s, views)
}
