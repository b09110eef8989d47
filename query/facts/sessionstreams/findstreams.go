package sessionstreams

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tapedeck/query"
)

// Found is a session with its streams, read with one statement.
type Found struct {
	*Row
	Streams     []Stream // ordered by their first frame
	Expirations bool     // whether some recorded data has expired
}

// FindStreams returns what the streams of a session state, and the streams. If the session does not
// exist, the error is a problem with status 404.
func FindStreams(ctx context.Context, r *query.Reader, tenant, session string) (*Found, error) {
	rows, err := ofSession(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, notFound(session)
	}
	f := &Found{Row: addUp(session, rows), Streams: make([]Stream, len(rows)), Expirations: rows[0].HasExpired}
	for i := range rows {
		f.Streams[i] = rows[i].Stream()
	}
	return f, nil
}

// addUp returns the row that sql/session_streams.sql returns for a session with these streams.
// There is at least one stream.
func addUp(session string, rows []StreamRow) *Row {
	s := &Row{ID: session, Started: rows[0].First, Streams: uint64(len(rows)), Original: rows[0].Original}
	dialects := map[string]bool{}
	tags := map[[2]string]bool{}
	var last, first *StreamRow // the stream that ended last, and the first stream with a title
	for i := range rows {
		row := &rows[i]
		s.Started, s.Last = min(s.Started, row.First), max(s.Last, row.Last)
		s.Frames += row.Frames
		s.Bytes += row.Bytes
		s.StreamIDs, s.StreamEnds = append(s.StreamIDs, row.ID), append(s.StreamEnds, row.end())
		switch {
		case row.IsLost:
			s.LostStreams++
		case row.Ended == 0:
			s.LiveStreams++
		}
		if row.Dialect != "" {
			dialects[row.Dialect] = true
		}
		for key, value := range row.Tags {
			tags[[2]string{key, value}] = true
		}
		if last == nil ||
			cmp.Or(cmp.Compare(row.end(), last.end()), cmp.Compare(row.Last, last.Last),
				cmp.Compare(row.ID, last.ID)) > 0 {
			last = row
		}
		if row.Title != "" &&
			(first == nil || cmp.Or(cmp.Compare(row.First, first.First), cmp.Compare(row.ID, first.ID)) < 0) {
			first = row
		}
	}
	s.End, s.LastEnded, s.LastReason = last.end(), last.Ended, last.EndReason
	s.Cut = strings.HasPrefix(last.EndReason, "error")
	if first != nil {
		s.Title = first.Title
	}
	s.Dialects, s.TagKeys, s.TagValues = slices.AppendSeq([]string{}, maps.Keys(dialects)), []string{}, []string{}
	slices.Sort(s.Dialects)
	for _, tag := range slices.SortedFunc(maps.Keys(tags), func(a, b [2]string) int {
		return slices.Compare(a[:], b[:])
	}) {
		s.TagKeys, s.TagValues = append(s.TagKeys, tag[0]), append(s.TagValues, tag[1])
	}
	return s
}

// end returns when the stream ended, or when its last frame arrived if no later end was recorded.
func (row *StreamRow) end() int64 { return max(row.Last, row.Ended) }
