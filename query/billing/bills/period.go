package bills

import (
	"fmt"
	"time"

	"tapedeck/internal/calendar"
	"tapedeck/internal/problem"
)

// State is the state of an account's period.
type State string

const (
	Open   State = "open"   // the period has not ended
	Draft  State = "draft"  // the period has ended and is not closed
	Closed State = "closed" // its bill never changes
)

// month is a calendar month.
type month struct {
	year  int
	month time.Month
}

// parseMonth parses a month such as "2026-10". parameter is the name of the parameter in an error.
func parseMonth(parameter, text string) (month, error) {
	t, err := time.Parse("2006-01", text)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		return month{}, problem.BadParameter(parameter,
			fmt.Sprintf("%s %q is not a month of the years 1970 to 2261.", parameter, text), "a month, as 2026-10")
	}
	return month{t.Year(), t.Month()}, nil
}

func monthOf(t time.Time) month { return month{t.Year(), t.Month()} }

func (m month) String() string { return fmt.Sprintf("%04d-%02d", m.year, m.month) }

// plus returns the month n months later.
func (m month) plus(n int) month {
	return monthOf(time.Date(m.year, m.month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}

// start returns the first instant of the month in a zone.
func (m month) start(zone *time.Location) time.Time {
	return calendar.StartOf(time.Date(m.year, m.month, 1, 0, 0, 0, 0, time.UTC), zone).UTC()
}

// Period is one month of one account.
type Period struct {
	Month      string
	Start, End time.Time // half open
	ClosableAt time.Time
	Zone       *time.Location
}

// period returns a month of an account. before is the bill of the previous month, or nil if that
// month is not closed. A period begins where that bill ends, even if the account's zone has
// changed.
func (a *Account) period(m month, before *Bill) (Period, error) {
	zone, err := a.Kind.Location()
	if err != nil {
		return Period{}, err
	}
	p := Period{Month: m.String(), Start: m.start(zone), End: m.plus(1).start(zone), Zone: zone}
	if before != nil {
		p.Start = before.End
	}
	p.ClosableAt = p.End.Add(a.Kind.Grace)
	return p, nil
}

// state returns the state of a period that is not closed.
func (p *Period) state(now time.Time) State {
	if now.Before(p.End) {
		return Open
	}
	return Draft
}

// closable returns the reason for which the period cannot be closed yet, or nil if it can be.
func (p *Period) closable(now time.Time) error {
	switch {
	case now.Before(p.End):
		return conflict("Period not over",
			fmt.Sprintf("The period %s ends on %s.", p.Month, p.End.In(p.Zone).Format(time.RFC3339)),
			fmt.Sprintf("It can be closed from %s on.", p.ClosableAt.In(p.Zone).Format(time.RFC3339)))
	case now.Before(p.ClosableAt):
		return conflict("Period not over",
			fmt.Sprintf("The period %s is a draft until %s, for usage that arrives late.", p.Month,
				p.ClosableAt.In(p.Zone).Format(time.RFC3339)),
			"Close it then, or set another grace of the account in the price file.")
	}
	return nil
}

func conflict(title, detail, hint string) error {
	return &problem.Problem{Title: title, Status: 409, Detail: detail, Hint: hint}
}

// day returns the bounds of the day of a time in the period's zone, clipped to the period.
func (p *Period) day(at time.Time) (start, end time.Time) {
	y, m, d := at.In(p.Zone).Date()
	start = calendar.StartOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), p.Zone).UTC()
	end = calendar.StartOf(time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC), p.Zone).UTC()
	if start.Before(p.Start) {
		start = p.Start
	}
	if end.After(p.End) {
		end = p.End
	}
	return start, end
}

var tooBusy = problem.Problem{
	Title: "Too many bills", Status: 503, RetryAfter: 5 * time.Second,
	Detail: "Many other bills of the tenant are closed at the same time.", Hint: "Try again in a few seconds.",
}
