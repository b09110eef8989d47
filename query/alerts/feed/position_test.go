package feed

import (
	"testing"
	"time"
)

const second = uint64(time.Second)

// A position has the changes of the minute before the latest one, and goes into its text and back.
func TestPosition(t *testing.T) {
	start := 1_000_000 * second
	p := &Position{}
	if p.String() != "0" || p.Settled() != 0 {
		t.Errorf("empty: %s", p)
	}
	for _, at := range []uint64{0, 30, 10, 59, 10} {
		p.Add(start + at*second)
	}
	p.Add(start + 61*second)
	again, err := ParsePosition(p.String())
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[uint64]bool{0: false, 10: true, 30: true, 31: false, 59: true, 61: true} {
		if p.Has(start+at*second) != want || again.Has(start+at*second) != want {
			t.Errorf("%d s: not %v", at, want)
		}
	}
	if again.Settled() != start+second {
		t.Errorf("settled up to %d", again.Settled())
	}
	if p.Add(start); p.Has(start) {
		t.Error("a settled change is named")
	}
	for i := range uint64(1000) {
		p.Add(start + 60*second + i)
	}
	if again, err = ParsePosition(p.String()); err != nil || len(p.String()) > 1024 || again.Settled() != p.Settled() || again.Has(start+60*second) || !again.Has(start+60*second+999) {
		t.Errorf("of many: %v, %s", err, p)
	}
}

func FuzzParsePosition(f *testing.F) {
	for _, seed := range []string{"", "0", "-1", "3w5e11264sgsf", "3w5e11264sgsf.1.zz", "1.2", "..", "3W5E11264SGSF", "3w5e11264sgsg", "zzzzzzzzzzzzz.zzzzz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePosition(text)
		if err != nil {
			return
		}
		again, err := ParsePosition(p.String())
		if err != nil || again.String() != p.String() || again.Settled() != p.Settled() {
			t.Errorf("%q is %s, and then %v, %v", text, p, again, err)
		}
	})
}
