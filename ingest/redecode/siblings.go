package redecode

import (
	"context"
	"slices"
)

// siblings reduces the stream's sessions, which ended maps to the time of the stream's end, to the
// sessions that the recording was divided between, and finds the last of their frames. Each frame
// of the stream is in one of these sessions. A session that also contains the first frame of this
// session is a copy under another id, imported from a tape; siblings removes it.
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
