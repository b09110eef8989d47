package dialect

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"
)

func TestTextTime(t *testing.T) {
	for text, want := range map[string]int64{
		"2026-01-02T03:04:05.006Z":  time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC).UnixNano(),
		"2026-01-02T03:04:05+01:00": time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC).UnixNano(),
		"0001-01-01T00:00:00Z":      0,             // the zero time of Go
		"9999-12-31T00:00:00Z":      math.MaxInt64, // beyond the range of nanoseconds
		"yesterday":                 0,
		"":                          0,
	} {
		if got := TextTime([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestList(t *testing.T) {
	var l List
	if l.JSON() != nil {
		t.Errorf("an empty list is %q", l.JSON())
	}
	l.AddText([]byte("a"))
	first := l.JSON()
	l.Add([]byte(`{"b":1}`))
	if string(first) != `["a"]` || string(l.JSON()) != `["a",{"b":1}]` || !json.Valid(l.JSON()) {
		t.Errorf("%s, then %s", first, l.JSON())
	}
}

func TestAppendRecent(t *testing.T) {
	var list []int
	for i := range 5 {
		list = AppendRecent(list, i, 3)
	}
	if !slices.Equal(list, []int{2, 3, 4}) {
		t.Errorf("%v", list)
	}
}
