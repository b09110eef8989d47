package player_test

import (
	"errors"
	"testing"

	"tapedeck/replay"
	"tapedeck/replay/player"
)

func FuzzParseMark(f *testing.F) {
	for _, s := range []string{"+12.5s", " 3m", "type:tool_call", "1767323045123456789.019b7d3c-0000-7000-8000-000000000000.3", "-1", "+", ""} {
		f.Add(s)
	}
	tape := abc()
	f.Fuzz(func(t *testing.T, s string) {
		m, err := player.ParseMark(s)
		if err == nil {
			var p replay.Place
			if p, err = m.Start(t.Context(), tape); err == nil && p.Position.At < 0 && s[0] != '-' {
				t.Errorf("%q is before all time: %v", s, p)
			}
		}
		var wrong *player.MarkError
		if err != nil && (!errors.As(err, &wrong) || wrong.Error() == "") {
			t.Errorf("%q: %v is not a MarkError", s, err)
		}
	})
}
