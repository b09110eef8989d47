package schema

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestSoundLimits(t *testing.T) {
	number := func(n float64) *float64 { return &n }
	for name, test := range map[string]struct {
		limit Limit
		want  string // of Limits.Text, "" if nothing is stated
	}{
		"all":           {Limit{Name: "primary", Plan: "plus", Window: 18000, UsedPercent: number(42.5), Status: "allowed", ResetsAt: 1781290000, At: 7}, `[{"name":"primary","plan":"plus","window_s":18000,"used_percent":42.5,"status":"allowed","resets_at":1781290000,"at":7}]`},
		"amounts":       {Limit{Name: "q", Used: number(477), Max: number(1500)}, `[{"name":"q","used":477,"max":1500,"at":0}]`},
		"zero is used":  {Limit{Name: "q", UsedPercent: number(0)}, `[{"name":"q","used_percent":0,"at":0}]`},
		"beyond":        {Limit{Name: "q", UsedPercent: number(104)}, `[{"name":"q","used_percent":104,"at":0}]`},
		"rounded":       {Limit{Name: "q", UsedPercent: number(0.55 * 100)}, `[{"name":"q","used_percent":55,"at":0}]`},
		"credits":       {Limit{Name: "credits", Balance: "-0.50"}, `[{"name":"credits","balance":"-0.50","at":0}]`},
		"unlimited":     {Limit{Name: "credits", Unlimited: true}, `[{"name":"credits","unlimited":true,"at":0}]`},
		"no name":       {Limit{UsedPercent: number(1)}, ""},
		"nothing":       {Limit{Name: "q", Plan: "plus", Window: 60}, ""},
		"1e308 percent": {Limit{Name: "q", UsedPercent: number(1e308)}, ""},
		"negative":      {Limit{Name: "q", UsedPercent: number(-1), Used: number(-1), Max: number(-1), Window: -1, ResetsAt: -1}, ""},
		"not a number":  {Limit{Name: "q", UsedPercent: number(math.NaN()), Used: number(math.Inf(1)), Max: number(math.NaN())}, ""},
		"year 99999":    {Limit{Name: "q", ResetsAt: 3093527980799}, ""},
		"year 1970":     {Limit{Name: "q", ResetsAt: 3600}, ""},
		"last reset":    {Limit{Name: "q", ResetsAt: 9_214_646_400}, `[{"name":"q","resets_at":9214646400,"at":0}]`},
		"a long window": {Limit{Name: "q", Status: "x", Window: math.MaxInt64}, `[{"name":"q","status":"x","at":0}]`},
		"odd balances":  {Limit{Name: "q", Balance: "1.2.3"}, ""},
		"huge balance":  {Limit{Name: "q", Balance: strings.Repeat("9", 41)}, ""},
		"long texts":    {Limit{Name: strings.Repeat("ä", 100), Status: "\xff"}, `[{"name":"` + strings.Repeat("ä", 32) + `","status":"` + "\ufffd" + `","at":0}]`},
	} {
		var ls Limits
		if test.limit.Sound() {
			ls.Set(test.limit)
		}
		if got := ls.Text(); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if again := ReadLimits(test.want).Text(); again != test.want {
			t.Errorf("%s: read as %s", name, again)
		}
	}
}

func TestLimitsSet(t *testing.T) {
	var ls Limits
	for _, l := range []Limit{{Name: "a", Status: "1", At: 5}, {Name: "b", Status: "1", At: 5}, {Name: "a", Status: "2", At: 4}, {Name: "b", Status: "2", At: 5}} {
		if !ls.Set(l) {
			t.Errorf("%+v is not kept", l)
		}
	}
	if got, want := ls.Text(), `[{"name":"a","status":"1","at":5},{"name":"b","status":"2","at":5}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for i := range 10_000 {
		if kept := ls.Set(Limit{Name: fmt.Sprint(i), Status: "x"}); kept != (i < MaxLimits-2) {
			t.Fatalf("limit %d: kept %v", i, kept)
		}
	}
	if len(ls) != MaxLimits || len(ls.Text()) > 64<<10 {
		t.Errorf("%d limits, %d bytes", len(ls), len(ls.Text()))
	}
}

// A tape may have been written by anybody.
func TestReadLimits(t *testing.T) {
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"name":"x","status":"s","at":1},`, 1000), ",") + "]"
	for text, want := range map[string]string{
		"": "", "null": "", "{}": "", "[": "", "[null]": "", `[{"name":5}]`: "", `[{"name":"a","status":"x","at":-1}]`: "",
		`[{"name":"a","used_percent":1e308,"at":1}]`: "", `[{"name":"a","used_percent":1e999,"at":1}]`: "",
		many:                          `[{"name":"x","status":"s","at":1}]`,
		strings.Repeat(" ", 64<<10+1): "", "[" + many + "]": "",
	} {
		if got := ReadLimits(text).Text(); got != want {
			t.Errorf("%.60s: %s, want %s", text, got, want)
		}
	}
}

func TestShare(t *testing.T) {
	number := func(n float64) *float64 { return &n }
	for _, test := range []struct {
		limit Limit
		want  float64
		known bool
	}{
		{Limit{UsedPercent: number(5), Used: number(1), Max: number(2)}, 5, true},
		{Limit{Used: number(1), Max: number(3)}, 33.333333, true},
		{Limit{Used: number(1), Max: number(0)}, 0, false}, {Limit{Used: number(1)}, 0, false}, {Limit{Max: number(1)}, 0, false},
		{Limit{Used: number(1e15), Max: number(1e-300)}, 0, false},
	} {
		if got, known := test.limit.Share(); known != test.known || known && got != test.want {
			t.Errorf("%+v: %v, %v", test.limit, got, known)
		}
	}
}
