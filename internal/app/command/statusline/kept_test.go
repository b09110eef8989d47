package statusline

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tapedeck/query/pricing/cost"
)

// The server is asked once within five seconds; its answer is shown for ten minutes, and the usage of a day on that day.
func TestKept(t *testing.T) {
	state := t.TempDir()
	at := time.Date(2026, 3, 4, 23, 55, 0, 0, time.UTC)
	k := NewKept(state, "http://a", "t", "s")
	is := func(after time.Duration, ask bool, today, away string) {
		t.Helper()
		r, got := k.Read(at.Add(after))
		figure := ""
		if r.Today != nil {
			figure = short(r.Today.Tokens.Total)
		}
		if got != ask || figure != today || r.Away != away {
			t.Errorf("after %v: ask %v, today %q, %q", after, got, figure, r.Away)
		}
	}
	is(0, true, "", "asking the server")
	if err := os.Chtimes(k.path, at, at); err != nil { // a new file has the time of the machine
		t.Fatal(err)
	}
	is(time.Second, false, "", "asking the server")
	is(6*time.Second, true, "", "asking the server")
	write := func(r *Recorded, after time.Duration) {
		t.Helper()
		if err := k.Write(r, at.Add(after)); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(k.path, at.Add(after), at.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	write(&Recorded{Today: &cost.UsageTotals{Tokens: cost.Tokens{Total: 7}}}, 10*time.Second)
	is(11*time.Second, false, "7", "")
	is(4*time.Minute, true, "7", "")
	is(6*time.Minute, true, "", "asking the server") // after midnight
	is(11*time.Minute, true, "", "asking the server")
	write(&Recorded{Away: "server away"}, 12*time.Minute)
	is(12*time.Minute+time.Second, false, "", "server away")
	is(-time.Hour, true, "", "asking the server") // the clock was set back
	for name, other := range map[string]*Kept{
		"session": NewKept(state, "http://a", "t", "other"), "tenant": NewKept(state, "http://a", "u", "s"), "server": NewKept(state, "http://b", "t", "s"),
	} {
		if r, _ := other.Read(at); r.Away != "asking the server" {
			t.Errorf("another %s: %+v", name, r)
		}
	}
}

// Files of sessions that ended long ago go, and nothing else is left.
func TestKeptFilesGo(t *testing.T) {
	state, now := t.TempDir(), time.Now()
	old, k := NewKept(state, "http://a", "t", "old"), NewKept(state, "http://a", "t", "s")
	for _, x := range []*Kept{old, k} {
		x.Read(now)
	}
	if err := os.Chtimes(old.path, now.Add(-25*time.Hour), now.Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := k.Write(&Recorded{}, now); err != nil {
		t.Fatal(err)
	}
	if list, err := filepath.Glob(filepath.Join(state, "statusline", "*")); err != nil || len(list) != 1 || list[0] != k.path {
		t.Errorf("%v, %v", list, err)
	}
}
