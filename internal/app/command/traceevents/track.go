package traceevents

import (
	"cmp"
	"fmt"
	"slices"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/facts/spanmerge"
)

// track is a row of a viewer. Of any two of its spans one contains the other, or they do not overlap: viewers
// misplace other spans.
type track struct {
	name  string
	spans []*spanmerge.Span // by start; of those with one start the longest first
	ends  []int64           // of the spans that contain the next one, the outermost first
}

// tracksOf returns the tracks of a session: one for each agent in order of their starts, and more for spans of
// an agent that overlap without one containing the other, such as calls of tools that run at once.
func tracksOf(s *tapefacts.Session) []*track {
	spans := make([]*spanmerge.Span, len(s.Spans))
	for i := range s.Spans {
		spans[i] = &s.Spans[i]
	}
	// Spans with equal times keep their order, which is that of their first frames.
	slices.SortStableFunc(spans, func(a, b *spanmerge.Span) int {
		return cmp.Or(cmp.Compare(a.Begin(), b.Begin()), cmp.Compare(s.EndOf(b), s.EndOf(a)))
	})
	var agents []string
	tracks := map[string][]*track{} // by agent
	for _, of := range spans {
		if tracks[of.Agent] == nil {
			agents = append(agents, of.Agent)
		}
		begin, end := of.Begin(), s.EndOf(of)
		at := slices.IndexFunc(tracks[of.Agent], func(t *track) bool { return t.fits(begin, end) })
		if at < 0 {
			at = len(tracks[of.Agent])
			tracks[of.Agent] = append(tracks[of.Agent], &track{name: trackName(of.Agent, at)})
		}
		t := tracks[of.Agent][at]
		t.spans, t.ends = append(t.spans, of), append(t.ends, end)
	}
	var all []*track
	for _, agent := range agents {
		all = append(all, tracks[agent]...)
	}
	return all
}

func trackName(agent string, number int) string {
	name := cmp.Or(agent, "agent")
	if number > 0 {
		return fmt.Sprintf("%s (%d)", name, number+1)
	}
	return name
}

// fits reports whether a span that starts no earlier than the others can be added to a track.
func (t *track) fits(begin, end int64) bool {
	for len(t.ends) > 0 && t.ends[len(t.ends)-1] <= begin {
		t.ends = t.ends[:len(t.ends)-1]
	}
	return len(t.ends) == 0 || end <= t.ends[len(t.ends)-1]
}
