// Package sharewindow limits the facts of a session to a span of its time, for requests by a
// shared link.
package sharewindow

import (
	"context"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

// Limit is the span of a session that a request sees. A nil Limit is the whole session.
type Limit struct {
	from, to int64            // ns; from inclusive, to exclusive
	last     int64            // when the session ended, or its last frame so far, ns
	ends     map[string]int64 // the same for each stream
	counted  map[string]sessionframes.Counted
}

// Of returns the limit of a request, nil if the request sees the whole session.
func Of(ctx context.Context, r *query.Reader, tenant string, s *sessionstreams.Row) (*Limit, error) {
	from, to, limited := sessionframes.SpanOf(ctx)
	if !limited || from <= s.Started && max(s.Last, s.End) < to {
		return nil, nil
	}
	counted, err := sessionframes.CountView(ctx, r, tenant, s.ID)
	if err != nil {
		return nil, err
	}
	ends := make(map[string]int64, len(s.StreamIDs))
	for i, id := range s.StreamIDs {
		ends[id] = s.StreamEnds[i]
	}
	return &Limit{from, to, max(s.Last, s.End), ends, counted}, nil
}

// Session returns what the streams state of the session within the span, without the title. A
// session that began before the span begins with the span; a session that continued after it ends
// with the span.
func (l *Limit) Session(s *sessionstreams.Row, streams []sessionstreams.Stream) *sessionstreams.Row {
	if l == nil {
		return s
	}
	in := *s
	in.Started, in.Last, in.End, in.Title = max(s.Started, l.from), l.clamp(s.Last), l.clamp(s.End), ""
	if !l.Ended(s) {
		in.LastEnded, in.LastReason, in.Cut, in.LiveStreams, in.LostStreams = 0, "", false, 0, 0
	}
	in.Frames, in.Bytes, in.Streams = 0, 0, uint64(len(l.counted))
	for _, c := range l.counted {
		in.Frames += c.Frames
		in.Bytes += c.Bytes
	}
	in.Dialects = []string{}
	for _, one := range streams {
		if _, has := l.counted[one.ID]; has && one.Dialect != "" && !slices.Contains(in.Dialects, one.Dialect) {
			in.Dialects = append(in.Dialects, one.Dialect)
		}
	}
	slices.Sort(in.Dialects)
	return &in
}

// Ended reports whether the session's end is in the span.
func (l *Limit) Ended(s *sessionstreams.Row) bool {
	return l == nil || l.has(l.last) && s.LiveStreams+s.LostStreams == 0
}

// Streams returns the streams that have frames in the span, with their figures within the span.
func (l *Limit) Streams(streams []sessionstreams.Stream) []sessionstreams.Stream {
	if l == nil {
		return streams
	}
	in := []sessionstreams.Stream{}
	for _, s := range streams {
		c, has := l.counted[s.ID]
		if !has {
			continue
		}
		s.Frames, s.Bytes, s.Title, s.IsLost = c.Frames, c.Bytes, "", false
		s.FirstAt, s.LastAt = l.instant(s.FirstAt), l.instant(s.LastAt)
		if s.Ended != nil && !l.has(s.Ended.UnixNano()) {
			s.Ended, s.EndReason = nil, ""
		}
		// These cover the whole stream.
		s.Digest, s.Counters, s.Redacted, s.Limits = "", sessionstreams.Counters{}, map[string]uint64{}, nil
		in = append(in, s)
	}
	return in
}

// Spans returns the spans that overlap the visible time, clipped to it. A clipped span has no
// attributes, errors or durations of the source, since those describe the whole span.
func (l *Limit) Spans(spans []spanmerge.Span) []spanmerge.Span {
	if l == nil {
		return spans
	}
	in := []spanmerge.Span{}
	for _, s := range spans {
		begin, end := s.Begin(), max(s.Ended, s.Closed, s.Begin())
		if s.Open() && s.Ended == 0 && s.Closed == 0 {
			end = max(end, l.ends[s.Stream])
		}
		if begin >= l.to || end < l.from {
			continue
		}
		if begin < l.from || end >= l.to {
			s.Attributes, s.Error, s.Reported = "", "", 0
			s.Started = max(begin, l.from)
		}
		if end >= l.to {
			s.Status, s.Ended, s.Closed = string(schema.StatusUnclosed), 0, l.to-1
		}
		if !l.has(s.FirstToken) {
			s.FirstToken = 0
		}
		if !l.has(s.SeenAt) {
			s.SeenAt, s.SeenSeq = l.clamp(s.SeenAt), 0
		}
		in = append(in, s)
	}
	return in
}

// Holds reports whether the whole interval from one time until another, ns, is in the span.
func (l *Limit) Holds(from, until int64) bool { return l == nil || l.has(from) && l.has(until) }

// Usage returns the records within the span.
func (l *Limit) Usage(records []usagerecord.Record) []usagerecord.Record {
	if l == nil {
		return records
	}
	in := []usagerecord.Record{}
	for _, u := range records {
		if l.has(u.At.UnixNano()) {
			in = append(in, u)
		}
	}
	return in
}

func (l *Limit) has(at int64) bool { return at >= l.from && at < l.to }

func (l *Limit) clamp(at int64) int64 { return max(l.from, min(at, l.to-1)) }

func (l *Limit) instant(at time.Time) time.Time { return query.Instant(l.clamp(at.UnixNano())) }
