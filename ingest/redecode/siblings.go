package redecode

import (
	"context"
	"slices"
)

// siblings keeps of the stream's sessions, each with the time at which it says
// that the stream ended, those that the recording was divided among, and finds
// how far their frames reach. Each of its frames is in one of them. A session
// that has the first frame of this one, too, is a copy under another id, made of
// a tape: neither is anything to the other.
func (r *run) siblings(ctx context.Context, s *stream, ended map[string]int64) error {
	for session := range ended {
		s.sessions = append(s.sessions, session)
	}
	slices.Sort(s.sessions)
	if len(s.sessions) > 1 {
		first, last := map[string]uint64{}, map[string]uint64{}
		err := r.each(ctx, "the bounds of a stream", "siblings",
			map[string]any{"sessions": s.sessions, "stream": s.id, "month": uint32(s.month)},
			func(row func(...any) error) error {
				var session string
				var from, to uint64
				err := row(&session, &from, &to)
				first[session], last[session] = from, to
				return err
			})
		if err != nil {
			return err
		}
		ours, has := first[r.session]
		s.sessions = slices.DeleteFunc(s.sessions, func(other string) bool {
			from, stored := first[other]
			return other != r.session && has && stored && from == ours
		})
		for _, session := range s.sessions {
			s.upTo = max(s.upTo, last[session])
		}
	}
	for _, session := range s.sessions {
		s.ended = max(s.ended, ended[session])
	}
	return nil
}
