package search

import (
	"context"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/schema"
)

// factKey identifies a fact of a tenant.
type factKey struct {
	ofSpan        bool
	session, fact string
}

func (c *candidate) key() factKey { return factKey{c.OfSpan, c.Session, c.Fact} }

// foundRow is the current version of a text.
type foundRow struct {
	Session  string   `ch:"session_id"`
	Stream   string   `ch:"stream_id"`
	Fact     string   `ch:"fact_id"`
	Seq      uint64   `ch:"seen_seq"`
	Kind     string   `ch:"kind"`
	Name     string   `ch:"tool"`
	Agent    string   `ch:"agent"`
	Span     string   `ch:"span_id"`
	Run      string   `ch:"run_id"`
	Size     uint64   `ch:"size"` // bytes of the text and of the times of its parts
	Text     string   `ch:"shown"`
	IsJSON   bool     `ch:"is_json"`
	Complete bool     `ch:"complete"`
	Started  int64    `ch:"started_ns"`
	ChunkAt  []int64  `ch:"shown_at"`
	ChunkEnd []uint32 `ch:"shown_end"`
}

// foundShape selects the conditions of the statements that read texts.
type foundShape struct {
	Days    bool // the days of each session are listed
	Whole   bool // include long texts
	Phrases []string
}

// hits returns the hits among candidates, in their order, until there are enough, and the number of
// candidates that were processed. A candidate is a hit if its row is the view of the fact that is
// shown; rows of other views are skipped.
func (s *search) hits(ctx context.Context, list []candidate) (hits []Hit, looked int, err error) {
	sessions, err := s.sessions(ctx, list)
	if err != nil {
		return nil, 0, err
	}
	t := &texts{search: s, sessions: sessions, found: map[factKey]*Hit{}, long: map[factKey]*foundRow{}}
	if err := t.read(ctx, list, 2*firstRows*shortBytes, false); err != nil {
		return nil, 0, err
	}
	for looked < len(list) && len(s.answer.Items)+len(hits) < s.enough {
		of, bytes, next := t.batch(list[looked:])
		if len(of) > 0 {
			if err := t.read(ctx, of, bytes, true); err != nil {
				return hits, looked, err
			}
		}
		for _, c := range list[looked : looked+next] {
			if hit := t.take(&c); hit != nil {
				hits = append(hits, *hit)
			}
		}
		looked += next
	}
	return hits, looked, nil
}

// take returns the hit of a candidate. It returns each hit once.
func (t *texts) take(c *candidate) *Hit {
	hit := t.found[c.key()]
	if hit == nil || hit.StreamID != c.Stream || hit.Seq != c.Seq {
		return nil
	}
	delete(t.found, c.key()) // drops other versions of the fact
	hit.seen = c.Seen
	hit.Position = schema.Position{At: c.Seen, StreamID: c.Stream, Seq: c.Seq}.String()
	return hit
}

// hit returns a text as a hit; nil if it does not match.
func (s *search) hit(row *foundRow, of *sessionstreams.Row) *Hit {
	if kinds, ok := s.asked.args["kinds"].([]string); ok && kinds != nil && !slices.Contains(kinds, row.Kind) {
		return nil
	}
	m := s.Expression.match(row.Text, row.IsJSON)
	if m == nil {
		return nil
	}
	hit := &Hit{
		SessionID: row.Session, SessionTitle: of.Title, SessionStarted: query.Instant(of.Started),
		ID: row.Fact, Kind: row.Kind, Name: row.Name, Agent: row.Agent,
		SpanID: row.Span, RunID: row.Run, Complete: row.Complete,
		StreamID: row.Stream, Seq: row.Seq,
	}
	if role, ok := roleOf[schema.MessageKind(row.Kind)]; ok {
		hit.Role = &role
	}
	for _, n := range m.counts {
		hit.Matches += n
	}
	if s.Order == Relevance {
		score := m.score()
		hit.Score = &score
	}
	var at int
	hit.Snippet, at = m.snippet(row.Text)
	arrived := row.arrived(at)
	hit.At, hit.OffsetMS = query.Instant(arrived), query.Millis(arrived-of.Started)
	return hit
}

// arrived returns when the byte at an offset of the text arrived, ns.
func (row *foundRow) arrived(at int) int64 {
	for i, end := range row.ChunkEnd {
		if uint32(at) < end && i < len(row.ChunkAt) {
			return row.ChunkAt[i]
		}
	}
	return row.Started
}

// place returns the position of a hit in the order, newest first.
func (h *Hit) place() *place {
	return &place{At: h.seen, Stream: h.StreamID, Seq: h.Seq, Session: h.SessionID, Fact: h.ID}
}

// sessions returns what the streams of the candidates' sessions state, by session id.
func (s *search) sessions(ctx context.Context, list []candidate) (map[string]*sessionstreams.Row, error) {
	var ids []string
	for _, c := range list {
		ids = append(ids, c.Session)
	}
	slices.Sort(ids)
	rows, err := sessionstreams.ReadStreams(ctx, s.r, s.Tenant, sessionstreams.Shape{},
		query.Args{"tenant": s.Tenant, "sessions": slices.Compact(ids)})
	if err != nil {
		return nil, err
	}
	sessions := make(map[string]*sessionstreams.Row, len(rows))
	for i := range rows {
		sessions[rows[i].ID] = &rows[i]
	}
	return sessions, nil
}

// mostDays bounds the listed days of sessions.
const mostDays = 1000

// parameters returns the parameters of the statements that read the facts of candidates, and
// whether the statements list the days of each session.
func parameters(tenant string, list []candidate, sessions map[string]*sessionstreams.Row) (query.Args, bool) {
	var ids, facts, of []string
	var days []string
	first, last := int64(0), int64(0)
	listed := map[string]bool{}
	for _, c := range list {
		facts = append(facts, c.Fact)
		if listed[c.Session] {
			continue
		}
		listed[c.Session] = true
		ids = append(ids, c.Session)
		s := sessions[c.Session]
		if first == 0 || s.Started < first {
			first = s.Started
		}
		last = max(last, s.Last)
		const spare = int64(day)
		for at := s.Started - spare; len(days) <= mostDays && at/spare <= (s.Last+spare)/spare; at += spare {
			days, of = append(days, time.Unix(0, at).UTC().Format(time.DateOnly)), append(of, c.Session)
		}
	}
	a := query.Args{"tenant": tenant, "sessions": ids, "facts": facts}.Within(first, last)
	if len(days) > mostDays {
		return a, false
	}
	return a.With("days", days).With("days_of", of), true
}
