package redecode

import (
	"context"
	"slices"
)

// siblings reduces the stream's sessions, each with its time of the stream's end, to those
// that the recording was divided among, and finds the last of their frames. Each of its
// frames is in one of them. A session that contains the first frame of this one as well is
// a copy under another id, imported from a tape; it is removed.
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
