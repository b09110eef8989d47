// Package sessiondetail reads the page of one session: its head, streams, runs and totals.
package sessiondetail

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/sharewindow"
)

var statements = query.Statements("session/sessiondetail")

// Detail describes one session except its frames, spans and messages.
type Detail struct {
	sessionhead.Head
	Runs          []Run                   `json:"runs"`
	Streams       []sessionstreams.Stream `json:"streams"`
	Totals        Totals                  `json:"totals"`
	Discrepancies []Discrepancy           `json:"discrepancies"`
	// Limits are what the session's streams stated last of the limits of their accounts. A request
	// by a shared link sees none.
	Limits []accountlimits.Limit `json:"limits"`
	// FramesExpired is when the session's frames expired; nil if they have not.
	FramesExpired *time.Time `json:"frames_expired_at,omitempty"`
}

// Totals are the sums over a session.
type Totals struct {
	Runs    uint64                 `json:"runs"`
	Streams uint64                 `json:"streams"`
	Frames  uint64                 `json:"frames"`
	Bytes   uint64                 `json:"bytes"`
	Tools   sessionhead.ToolCounts `json:"tools"`
	cost.UsageTotals
}

// Read returns one session. If it does not exist, the error is a problem with status 404, as for
// all queries on a session.
func Read(ctx context.Context, r *query.Reader, tenant, session string) (*Detail, error) {
	found, err := sessionstreams.FindStreams(ctx, r, tenant, session)
	if err != nil {
		return nil, err
	}
	s, streams := found.Row, found.Streams
	var (
		spans   []spanmerge.Span
		usage   []usagerecord.Record
		texts   []runText
		expired *time.Time
	)
	group, of := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		spans, err = spanmerge.OfSession(of, r, tenant, s)
		return err
	})
	group.Go(func() (err error) {
		usage, err = usagerecord.OfSession(of, r, tenant, s)
		return err
	})
	group.Go(func() (err error) {
		texts, err = query.Ask[runText](of, r, statements, "run_texts", s,
			sessionstreams.Parameters(tenant, s).With("length", sessionhead.ExcerptLength))
		return err
	})
	if found.Expirations {
		group.Go(func() (err error) {
			expired, err = framesExpired(of, r, tenant, session)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	limit, err := sharewindow.Of(ctx, r, tenant, s)
	if err != nil {
		return nil, err
	}
	whole := s
	s, streams, spans, usage = limit.Session(s, streams), limit.Streams(streams), limit.Spans(spans), limit.Usage(usage)
	// A text cannot be clipped by time.
	texts = slices.DeleteFunc(texts, func(m runText) bool { return !limit.Holds(m.From, m.Until) })
	d := build(s, streams, spans, usage, texts, r.QuietAfter(), r.Now())
	if limit != nil {
		d.Title = firstOfUser(texts)
	}
	if !limit.Ended(whole) {
		d.End = nil
	}
	if sessionframes.Shared(ctx) {
		d.Limits = []accountlimits.Limit{}
	}
	d.FramesExpired = expired
	return d, nil
}

// build returns a session at a time, ns.
func build(
	s *sessionstreams.Row, streams []sessionstreams.Stream, spans []spanmerge.Span, usage []usagerecord.Record, texts []runText,
	quietAfter time.Duration, now int64,
) *Detail {
	counted := sessionhead.CountSpans(spans)
	head := sessionhead.Summarize(s, quietAfter, counted, now)
	head.UsageTotals = usagerecord.TotalsOf(usage)
	d := &Detail{
		Head: head.Head, Streams: streams, Runs: newRuns(spans, usage, texts), Limits: accountlimits.OfStreams(streams),
		Totals: Totals{
			Runs: counted.Runs, Streams: s.Streams, Frames: s.Frames, Bytes: s.Bytes,
			Tools: head.Tools, UsageTotals: head.UsageTotals,
		},
	}
	d.OpenSpan = sessionhead.OpenSpan(&d.Head, spans)
	d.End = sessionhead.NewEnd(&d.Head, s, counted.Runs, spans)
	var counters sessionstreams.Counters
	for i := range streams {
		counters.Add(&streams[i].Counters)
	}
	d.Discrepancies = discrepancies(&counters, counted, &head.UsageTotals, repeatedStreams(streams))
	return d
}

// framesExpired returns when the frames of a session expired; nil if some have not.
func framesExpired(ctx context.Context, r *query.Reader, tenant, session string) (*time.Time, error) {
	type row struct {
		At time.Time `ch:"at"`
	}
	rows, err := query.Ask[row](ctx, r, statements, "frames_expired", nil,
		query.Args{"tenant": tenant, "session": session})
	if err != nil || len(rows) == 0 || rows[0].At.Unix() <= 0 {
		return nil, err
	}
	at := rows[0].At.UTC()
	return &at, nil
}
