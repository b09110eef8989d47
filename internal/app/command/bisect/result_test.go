package bisect

import "testing"

// The sentence names the first session from which on all match, and says so if there is none.
func TestConclude(t *testing.T) {
	for _, tc := range []struct {
		does, since, sentence string
		steady                bool
	}{
		{"nnn", "", "None of 3 sessions fails.", true},
		{"yy", "a", "Every one of 2 sessions fails.", true},
		{"nnyy", "c", "Since c, the 3rd of 4 sessions, every session fails.", true},
		{"ny", "b", "Since b, the 2nd of 2 sessions, every session fails.", true},
		{"nyn", "", "There is no session since which every session fails: 1 of 3 sessions match, with 2 changes from one to the next. The first match is b.", false},
	} {
		r := Result{Question: "fails"}
		for i, does := range tc.does {
			r.Sessions = append(r.Sessions, Session{SessionID: string(rune('a' + i)), Does: does == 'y'})
		}
		r.conclude()
		since := ""
		if r.Since != nil {
			since = *r.Since
		}
		if r.Sentence != tc.sentence || since != tc.since || r.Steady != tc.steady {
			t.Errorf("%s: %q since %q, steady %v; want %q since %q, steady %v", tc.does, r.Sentence, since, r.Steady, tc.sentence, tc.since, tc.steady)
		}
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 111: "111th", 122: "122nd"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
