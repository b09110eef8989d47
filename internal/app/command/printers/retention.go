package printers

import (
	"fmt"
	"io"
	"time"

	"tapedeck/internal/app/lifecycle/retention"
	"tapedeck/internal/console"
	lifecycle "tapedeck/schema/lifecycle/retention"
)

// Policies writes how long each kind of data is kept.
func Policies(out io.Writer, list []retention.Policy) error {
	t := console.NewTable(out, "kind", "kept for", "up to", "set", "by")
	for _, p := range list {
		t.Row(p.Kind, age(p.MaxAgeS), size(p.MaxBytes), TimeOr(p.SetAt, "-"), console.Clip(p.SetBy, 30))
	}
	return t.Flush()
}

// Kept writes the limits of a kind of data that were set.
func Kept(out io.Writer, kind string, seconds, bytes *uint64) {
	fmt.Fprintf(out, "%s: kept for %s, up to %s\n", kind, age(seconds), size(bytes))
}

// Expiry writes what expires, and when.
func Expiry(out io.Writer, list []retention.Preview) error {
	t := console.NewTable(out, "kind", "kept for", "up to", "stored", "expires now", "in 30 days, by age")
	t.Optional("up to")
	for i := range list {
		p := &list[i]
		var soon lifecycle.Amount
		for _, d := range p.Days {
			soon.Sessions, soon.Bills, soon.Bytes = soon.Sessions+d.Sessions, soon.Bills+d.Bills, soon.Bytes+d.Bytes
		}
		due := amount(p.Due)
		if p.DueMore {
			due = ">" + due
		}
		t.Row(p.Kind, age(p.MaxAgeS), size(p.MaxBytes), amount(p.Stored), due, amount(soon))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range list {
		for _, s := range list[i].Oldest {
			fmt.Fprintf(out, "%s: %s of %s, last at %s, by %s\n", list[i].Kind, s.ID, console.Bytes(s.Bytes),
				console.LocalTime(s.LastAt), s.Why)
		}
		if p := &list[i]; p.OldestMore {
			more := "more"
			if n := uint64(len(p.Oldest)); !p.DueMore && p.Due.Sessions > n {
				more = console.Thousands(p.Due.Sessions-n) + " more"
			}
			fmt.Fprintf(out, "%s: %s expire, after these\n", p.Kind, more)
		}
	}
	return nil
}

func age(seconds *uint64) string {
	if seconds == nil {
		return "no limit"
	}
	if *seconds%86400 == 0 {
		return console.Count(*seconds/86400, "day")
	}
	return (time.Duration(*seconds) * time.Second).String()
}

func size(bytes *uint64) string {
	if bytes == nil {
		return "no limit"
	}
	return console.Bytes(*bytes)
}

func amount(a lifecycle.Amount) string {
	switch {
	case a.Bills > 0:
		return console.Count(a.Bills, "bill") + ", " + console.Bytes(a.Bytes)
	case a.Sessions > 0:
		return console.Count(a.Sessions, "session") + ", " + console.Bytes(a.Bytes)
	}
	return "-"
}
