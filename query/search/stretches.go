package search

import (
	"context"
	"time"

	"tapedeck/query"
)

const day = 24 * time.Hour

// growth is by how much a stretch of time is longer than the one before, at most.
const growth = 16

// lastDay is the last day of ClickHouse's type Date.
var lastDay = time.Date(2149, time.June, 6, 0, 0, 0, 0, time.UTC)

// daysShape selects the conditions of sql/days.sql.
type daysShape struct {
	Tables   []string // where texts are searched
	Sessions bool     // only texts of some sessions
}

// dayRange has the first moments of the newest and of the oldest of some days.
type dayRange struct {
	Newest time.Time `ch:"newest"`
	Oldest time.Time `ch:"oldest"`
}

// days returns the newest and the oldest day with texts that are searched, of the days of two times and
// the days between; ok is false if there is none.
func (s *search) days(ctx context.Context, from, until time.Time) (r dayRange, ok bool, err error) {
	if until.Before(from) {
		return r, false, nil
	}
	shape := daysShape{Sessions: s.asked.shape.Sessions}
	if s.asked.shape.Messages {
		shape.Tables = append(shape.Tables, "messages")
	}
	if s.asked.shape.Errors {
		shape.Tables = append(shape.Tables, "spans")
	}
	a := s.asked.args.With("first_day", from.Format(time.DateOnly)).With("last_day", until.Format(time.DateOnly))
	rows, err := query.Ask[dayRange](ctx, s.r, statements, "days", shape, a)
	if err != nil || len(rows) == 0 {
		return r, false, err
	}
	return rows[0], true, nil
}

// bounds returns the range of time that the query asks for, as days of ClickHouse's type Date can name
// it, and the position after which a page begins; nil for the newest text.
func (s *search) bounds(from *place) (floor, ceiling time.Time, until *place) {
	floor, ceiling, until = time.Unix(0, 0).UTC(), lastDay.Add(day-time.Nanosecond), from
	if s.From.After(floor) {
		floor = s.From.UTC()
	}
	if !s.To.IsZero() && !s.To.After(ceiling) {
		ceiling = s.To.UTC().Add(-time.Nanosecond)
		if until == nil || until.At > ceiling.UnixNano() {
			until = justBefore(s.To.UnixNano())
		}
	}
	if until != nil && until.At < ceiling.UnixNano() {
		ceiling = time.Unix(0, until.At).UTC()
	}
	return floor, ceiling, until
}

// stretches calls look with intervals of time, the latest first, each of which begins on a day with
// texts at its end and is longer than the one before. look receives the start of the interval and the
// position after which to continue. It returns the position at which to
// continue in the same interval, or nil if the interval has no more rows. The first call of look gets
// ctx, so that a page advances whatever time it has; later ones end with limited.
func (s *search) stretches(
	ctx, limited context.Context, from *place, look func(ctx context.Context, lo int64, until *place) (*place, error),
) error {
	floor, ceiling, until := s.bounds(from)
	days, ok, err := s.days(ctx, floor, ceiling)
	if err != nil || !ok {
		return err
	}
	if days.Oldest.After(floor) {
		floor = days.Oldest.UTC()
	}
	for span := day; ; {
		began := time.Now()
		if end := days.Newest.UnixNano() + int64(day); until == nil || until.At >= end {
			until = justBefore(end)
		}
		lo := days.Newest.UTC().Add(day - span)
		if lo.Before(floor) {
			lo = floor
		}
		for {
			if until, err = look(ctx, lo.UnixNano(), until); err != nil || len(s.answer.Items) >= s.enough {
				return err
			}
			ctx = limited
			if until == nil {
				break
			}
			s.last = until
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if !lo.After(floor) {
			return nil
		}
		until = justBefore(lo.UnixNano())
		s.last = until
		if days, ok, err = s.days(ctx, floor, lo.Add(-time.Nanosecond)); err != nil || !ok {
			return err
		}
		span = longer(ctx, span, time.Since(began))
	}
}

// longer returns the length of the stretch after one that took some time: as much longer as half of the
// time that is left allows.
func longer(ctx context.Context, span, took time.Duration) time.Duration {
	by := float64(growth)
	if end, ok := ctx.Deadline(); ok {
		by = min(by, time.Until(end).Seconds()/(2*took.Seconds()))
	}
	const most = 200 * 365 * day // more than ClickHouse's type Date has
	return max(time.Duration(min(float64(span)*by, float64(most))), day)
}
