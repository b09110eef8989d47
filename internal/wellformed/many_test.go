package wellformed

import (
	"strings"
	"testing"
)

func TestMany(t *testing.T) {
	for name, tc := range map[string]struct {
		data string
		want bool
	}{
		"empty":            {"", false},
		"numbers":          {"[" + strings.Repeat("1,", MaxValues) + "1]", true},
		"as many as may":   {"[" + strings.Repeat("10,", MaxValues-2) + "10]", false},
		"one more":         {"[" + strings.Repeat("10,", MaxValues-1) + "10]", true},
		"objects":          {"[" + strings.Repeat("{},", MaxValues) + "{}]", true},
		"members":          {"{" + strings.Repeat(`"a":1,`, MaxValues/2) + `"a":1}`, true},
		"empty arrays":     {strings.Repeat("[", 2*MaxValues), true},
		"one string":       {`["` + strings.Repeat(`,[\"`, MaxValues) + `"]`, false},
		"an open string":   {`["` + strings.Repeat(`,`, 3*MaxValues), false},
		"an open escape":   {`["` + strings.Repeat(`,`, 3*MaxValues) + `\`, false},
		"numbers of words": {"[" + strings.Repeat("1234567,", MaxValues/2) + "1]", false},
	} {
		if got := Many([]byte(tc.data)); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
