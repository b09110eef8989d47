package printers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/app/lifecycle/retention"
	lifecycle "tapedeck/schema/lifecycle/retention"
)

// The list of expiring sessions says how many it leaves out.
func TestExpiry(t *testing.T) {
	p := retention.Preview{Policy: retention.Policy{Kind: "frames"}, Due: lifecycle.Amount{Sessions: 1034, Bytes: 1}, OldestMore: true}
	for i := range 20 {
		p.Oldest = append(p.Oldest, retention.Session{ID: fmt.Sprint("s", i), Why: "age"})
	}
	for _, tc := range []struct {
		change  func()
		has, no string
	}{
		{func() {}, "frames: 1,014 more expire, after these\n", ">1,034"},
		{func() { p.DueMore = true }, "frames: more expire, after these\n", "frames: 1,014"},
		{func() { p.DueMore, p.OldestMore, p.Due.Sessions = false, false, 20 }, "frames: s19 of", "more expire"},
	} {
		tc.change()
		var out bytes.Buffer
		if err := Expiry(&out, []retention.Preview{p}); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, tc.has) || strings.Contains(text, tc.no) || p.DueMore != strings.Contains(text, ">1,034 sessions") {
			t.Errorf("want %q and not %q:\n%s", tc.has, tc.no, text)
		}
	}
}
