// Package timeword resolves the words for days and months that commands take as times, such as
// yesterday and last-month. The API takes dates and months only.
package timeword

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"tapedeck/internal/nearest"
)

// Forms describes the times that flags take.
const Forms = "RFC 3339, a date as 2026-03-29, now-24h or 24h or 7d, today, yesterday, this-month, or last-month"

var (
	word     = regexp.MustCompile(`^[A-Za-z]`)
	length   = regexp.MustCompile(`^([0-9.]+(ms|[wdhms]))+$`)
	withUnit = regexp.MustCompile(`^[0-9.]+ *[A-SU-Za-su-z]`) // not the T of RFC 3339
)

// days maps a word to the date that it stands for, given the date of today.
var days = map[string]func(today time.Time) time.Time{
	"today":      func(today time.Time) time.Time { return today },
	"yesterday":  func(today time.Time) time.Time { return today.AddDate(0, 0, -1) },
	"this-month": firstOfMonth,
	"last-month": func(today time.Time) time.Time { return firstOfMonth(today).AddDate(0, -1, 0) },
}

var (
	dayWords   = []string{"today", "yesterday", "this-month", "last-month"}
	monthWords = []string{"this-month", "last-month"}
)

func firstOfMonth(day time.Time) time.Time { return day.AddDate(0, 0, 1-day.Day()) }

// CheckTime returns an error for a word or a duration that Time does not know. It accepts texts
// that only the API can check.
func CheckTime(text string) error {
	switch {
	case days[text] != nil, length.MatchString(text), isNow(text):
	case word.MatchString(text):
		return unknown(text, dayWords, Forms)
	case withUnit.MatchString(text):
		return fmt.Errorf("%q is not a time: a length of time has the units w, d, h, m, s, ms, as 7d or 1d12h; "+
			"the other forms are %s", text, Forms)
	}
	return nil
}

func isNow(text string) bool {
	rest, ok := strings.CutPrefix(text, "now")
	return ok && (rest == "" || !word.MatchString(rest))
}

// Time returns a time in a form that the API reads: the date that a word stands for in the zone
// (yesterday is 2026-11-26, this-month 2026-11-01), now-7d for 7d, and any other text unchanged.
func Time(text string, zone *time.Location, now time.Time) string {
	if day := days[text]; day != nil {
		return day(date(now, zone)).Format(time.DateOnly)
	}
	if length.MatchString(text) {
		return "now-" + text
	}
	return text
}

// Month returns a month in the form that the API reads, such as 2026-10. It resolves this-month and
// last-month in UTC, and returns a month unchanged. It returns an error for other words.
func Month(text string, now time.Time) (string, error) {
	for _, known := range monthWords {
		if text == known {
			return days[text](date(now, time.UTC)).Format("2006-01"), nil
		}
	}
	if word.MatchString(text) {
		return "", unknown(text, monthWords, "a month as 2026-10, this-month or last-month")
	}
	return text, nil
}

// date returns the date of a time in a zone, as midnight in UTC.
func date(now time.Time, zone *time.Location) time.Time {
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func unknown(text string, words []string, forms string) error {
	if near := nearest.Names(text, words, 1, 3); len(near) > 0 {
		return fmt.Errorf("%q is not known, did you mean %s? It must be %s", text, near[0], forms)
	}
	return fmt.Errorf("%q is not known: it must be %s", text, forms)
}
