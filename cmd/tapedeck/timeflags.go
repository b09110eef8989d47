package main

import (
	"time"

	"tapedeck/internal/app/command/timeword"
)

// timeFlag is a time: one of the API's forms, a duration before now such as 7d, or a word for a day
// or a month.
type timeFlag string

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *timeFlag) UnmarshalText(text []byte) error {
	*f = timeFlag(text)
	return timeword.CheckTime(string(text))
}

// utc returns the time in a form that the API reads, with words for dates in UTC.
func (f timeFlag) utc() string { return f.in("") }

// in returns the time in a form that the API reads, with words for dates in an IANA time zone: UTC
// for "" and for an unknown zone, which the API refuses.
func (f timeFlag) in(zone string) string {
	z, err := time.LoadLocation(zone)
	if err != nil {
		z = time.UTC
	}
	return timeword.Time(string(f), z, time.Now())
}

// monthFlag is a month such as 2026-10, or this-month or last-month in UTC.
type monthFlag string

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *monthFlag) UnmarshalText(text []byte) error {
	month, err := timeword.Month(string(text), time.Now())
	*f = monthFlag(month)
	return err
}
