package search

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/sessionfilter"
)

var statements = query.Statements("search")

// The number of rows per step: in the first step, and at most. If a filter lets few rows pass,
// later steps read more rows.
const (
	firstRows = 64
	mostRows  = 8192
)

// ranked is the number of newest hits that are sorted by relevance.
const ranked = 200

// search is a search in progress.
type search struct {
	*Query
	r      *query.Reader
	asked  *asked
	answer *Answer
	last   *place // position of the last processed candidate
	enough int    // number of hits that are enough
}

// Read runs a search.
func Read(ctx context.Context, r *query.Reader, q Query) (*Answer, error) {
	from, err := parsePlace(q.Cursor)
	if err != nil {
		return nil, err
	}
	if from != nil && q.Order == Relevance {
		return nil, problem.BadParameter("cursor", "The order relevance has one page.", "the order newest")
	}
	limited, stop := context.WithTimeout(ctx, cmp.Or(q.Within, DefaultWithin))
	defer stop()
	s := &search{Query: &q, r: r, answer: &Answer{Items: []Hit{}, Scanned: []string{}}, enough: q.Limit + 1}
	if q.Order == Relevance {
		s.enough = ranked
	}
	err = s.run(ctx, limited, from)
	if err != nil && ctx.Err() == nil && timedOut(limited, err) && s.last != nil {
		err = nil
		s.partial("The search ended after " + cmp.Or(q.Within, DefaultWithin).String() + ", which is its limit.")
	}
	if err != nil {
		return nil, err
	}
	s.finish()
	return s.answer, nil
}

// timedOut reports whether the deadline caused an error. A connection may report its timeout
// shortly before the context is done.
func timedOut(ctx context.Context, err error) bool {
	end, _ := ctx.Deadline()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) ||
		errors.Is(err, os.ErrDeadlineExceeded) && time.Until(end) < 100*time.Millisecond {
		return true
	}
	e, ok := errors.AsType[*clickhouse.Exception](err)
	return ok && e.Code == 159
}

func (s *search) partial(reason string) {
	s.answer.Partial, s.answer.Reason = true, &reason
	if s.last != nil {
		s.answer.SearchedTo = query.KnownInstant(s.last.At + 1)
	}
}

// run processes candidates until there are enough hits or limited ends. What a page has to do before it
// can advance ends with ctx only.
func (s *search) run(ctx, limited context.Context, from *place) (err error) {
	if s.asked, err = prepare(ctx, s.r, s.Query); err != nil {
		return err
	}
	s.answer.Scanned = s.asked.scanned
	if !s.asked.shape.Messages && !s.asked.shape.Errors {
		return nil
	}
	rows := firstRows
	return s.stretches(ctx, limited, from, func(ctx context.Context, lo int64, until *place) (*place, error) {
		list, err := s.candidates(ctx, lo, until, rows)
		if err != nil {
			return nil, err
		}
		if err := s.take(ctx, list); err != nil {
			return nil, err
		}
		if len(list) < rows {
			return nil, nil
		}
		if rows = min(4*rows, mostRows); s.Filter != nil {
			rows = mostRows // few may pass, and each step searches the index of the window again
		}
		return list[len(list)-1].place(), nil
	})
}

// candidates returns candidate rows, newest first.
func (s *search) candidates(ctx context.Context, lo int64, until *place, rows int) ([]candidate, error) {
	shape, a := s.asked.shape, s.asked.args.With("from", lo).With("rows", rows)
	if shape.Until = until != nil; shape.Until {
		a["until"], a["after_stream"], a["after_seq"], a["after_session"], a["after_fact"] = until.At, until.Stream,
			until.Seq, until.Session, until.Fact
	}
	return query.Ask[candidate](ctx, s.r, statements, "candidates", shape, a)
}

// take adds the hits among candidates.
func (s *search) take(ctx context.Context, list []candidate) error {
	list = slices.CompactFunc(slices.Clone(list), func(a, b candidate) bool { return a == b })
	if s.Filter != nil {
		var ids []string
		for i := range list {
			ids = append(ids, list[i].Session)
		}
		slices.Sort(ids)
		passing, err := sessionfilter.Among(ctx, s.r, s.Tenant, s.Filter, slices.Compact(ids))
		if err != nil {
			return err
		}
		pass := make(map[string]bool, len(passing))
		for _, id := range passing {
			pass[id] = true
		}
		list = slices.DeleteFunc(list, func(c candidate) bool { return !pass[c.Session] })
	}
	for part := range slices.Chunk(list, 2*firstRows) {
		hits, looked, err := s.hits(ctx, part)
		s.add(hits)
		if looked > 0 {
			s.last = part[looked-1].place()
		}
		if err != nil {
			return err
		}
		if len(s.answer.Items) >= s.enough {
			return nil
		}
	}
	return nil
}

// finish cuts the page to its limit and sorts it.
func (s *search) finish() {
	items := s.answer.Items
	if s.Order == Relevance {
		if len(items) >= ranked && !s.answer.Partial {
			s.partial("Of the matches the newest 200 are in order of relevance.")
		}
		slices.SortStableFunc(items, func(a, b Hit) int { return cmp.Compare(*b.Score, *a.Score) })
		s.answer.Items = items[:min(len(items), s.Limit)]
		return
	}
	switch {
	case len(items) > s.Limit:
		s.answer.Items = items[:s.Limit]
		last := &items[s.Limit-1]
		s.answer.Next = last.place().cursor()
	case s.answer.Partial && s.last != nil:
		s.answer.Next = s.last.cursor()
	}
}
