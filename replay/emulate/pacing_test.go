package emulate_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tapedeck/internal/problem"
	"tapedeck/replay/emulate"
	"tapedeck/replay/player"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSplitSession(t *testing.T) {
	for segment, want := range map[string]struct {
		session string
		pacing  emulate.Pacing
		wrong   string // the parameter at fault
	}{
		"demo":           {session: "demo"},
		"a%3Bb%2Fc":      {session: "a;b/c"},
		"demo;speed=2;":  {session: "demo", pacing: emulate.Pacing{Speed: 2}},
		"demo;speed=max": {session: "demo", pacing: emulate.Pacing{Speed: player.Max}},
		"d;idle_limit=2s;take=a%3Bb;match=body;end=last": {session: "d", pacing: emulate.Pacing{
			IdleLimit: 2 * time.Second, Take: "a;b", MatchBody: true, End: emulate.Last,
		}},
		"d;match=order;end=": {session: "d"},
		"d;speed=0":          {wrong: "speed"},
		"d;idle_limit=-2s":   {wrong: "idle_limit"},
		"d;from=there":       {wrong: "from"},
		"d;match=all":        {wrong: "match"},
		"d;end=never":        {wrong: "end"},
		"d;sped=2":           {wrong: "sped"},
		"d;take=%zz":         {wrong: "take"},
		"%zz":                {wrong: "session"},
	} {
		var p emulate.Pacing
		session, err := p.SplitSession(segment)
		if want.wrong != "" {
			if w, ok := problem.From(err); !ok || w.Status != 400 || w.Parameter != want.wrong {
				t.Errorf("%s: got %v", segment, err)
			}
			continue
		}
		if err != nil || session != want.session || p != want.pacing {
			t.Errorf("%s: got %q, %+v, %v", segment, session, p, err)
		}
	}
}

func FuzzSplitSession(f *testing.F) {
	f.Add("demo;speed=max;from=+2s")
	f.Add("%3B;=;;take")
	f.Fuzz(func(t *testing.T, segment string) {
		var p emulate.Pacing
		if _, err := p.SplitSession(segment); err != nil {
			if _, ok := problem.From(err); !ok {
				t.Errorf("%q: %v is no problem for a client", segment, err)
			}
		}
	})
}

func TestTakes(t *testing.T) {
	var takes emulate.Takes
	ids := []string{"a", "b"}
	var got []int
	for _, end := range []emulate.End{emulate.Stop, "", emulate.Stop, emulate.Last, emulate.Again, emulate.Again, emulate.Again} {
		got = append(got, takes.Choose("t", "s", "x", ids, end))
	}
	got = append(got, takes.Choose("t", "s", "y", ids, ""), takes.Choose("t", "s2", "x", ids, ""), takes.Choose("t", "s", "z", nil, emulate.Last))
	if want := "[0 1 -1 1 0 1 0 0 0 -1]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	for i := range 3000 { // old takes go, new ones work
		if n := takes.Choose("t", fmt.Sprint(i), "", ids, ""); n != 0 {
			t.Fatalf("take %d begins with %d", i, n)
		}
	}
}
