package printers

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tapedeck/internal/console"
	"tapedeck/query/billing/bills"
)

// Verification writes the differences, and a summary.
func Verification(w io.Writer, v *bills.Verification) error {
	out := console.To(w)
	for _, d := range v.Defects {
		fmt.Fprintf(out, "defect: %s\n", d)
	}
	t := console.NewTable(w, "why", "charges of", "session", "frame", "model", "unit", "quantity", "cost", "settled in")
	for i := range v.Differences {
		d := &v.Differences[i]
		in := strings.Join(d.Corrected, ",")
		if !d.Settled {
			in = "open"
		}
		for j := range d.Items {
			it := &d.Items[j]
			t.Row(string(d.Why), d.Period, console.Clip(d.SessionID, 40), d.Position, OrDash(it.Model), it.Unit,
				fmt.Sprint(it.Quantity), nullText(it.Cost, v.MinorUnits, it.Reason), in)
		}
	}
	for i := range v.Frames.Differences {
		d := &v.Frames.Differences[i]
		t.Row("frames", v.Period, console.Clip(d.SessionID, 40), d.Position, "", d.Field,
			OrDash(d.Stored)+" → "+OrDash(d.Decoded), "", "")
	}
	if len(v.Differences)+len(v.Frames.Differences) > 0 {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, f := range v.Frames.Failed {
		fmt.Fprintf(out, "session %s was not decoded: %s\n", f.SessionID, f.Detail)
	}
	for i := range v.Frames.Expired {
		e := &v.Frames.Expired[i]
		fmt.Fprintf(out, "charge %s of session %s: not compared, its frames expired on %s\n", e.ChargeID, e.SessionID,
			e.ExpiredAt.Format(time.DateOnly))
	}
	if n := v.Frames.ExpiredCharges; n > uint64(len(v.Frames.Expired)) {
		fmt.Fprintf(out, "… %s in all\n", console.Count(n, "such charge"))
	}
	state := "equal"
	if !v.Equal {
		state = "differs"
	}
	fmt.Fprintf(out, "%s %s: %s rows, frames of %s of %s sessions\nrows %s\n", v.Number, state,
		console.Thousands(v.Rows),
		console.Thousands(v.Frames.Sessions), console.Thousands(v.Frames.Of), v.Hash)
	return nil
}
