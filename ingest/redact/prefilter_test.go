package redact

import (
	"math/rand/v2"
	"testing"

	"tapedeck/internal/jsonstring"
)

// fragments are what texts are put together from: parts of keywords, what stands around secrets,
// and escapes.
func fragments(e *Engine) (all []string) {
	for _, r := range e.rules {
		for _, key := range r.Keywords {
			all = append(all, key, key[:1], key[:len(key)/2], key[:len(key)-1])
		}
	}
	return append(all, hidden...)
}

// The prefilter finds the places at which secrets may begin that a look at each place finds.
func TestCleanBetween(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	own, err := New(Options{Declared: []Declared{{Name: "x", Value: "7even-Teen"}}, Own: []Rule{{ID: "own", Keywords: []string{"\xc3\xa9x", "1Q"}, Pattern: "[a-z]{4}"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []*Engine{Default(), own} {
		p, m := engine.prefilter, engine.NewMasker()
		all := append(fragments(engine), `"`, `":"`, " ", "\n", "é", "0", "a", "aB3x", "zzzz")
		clean := 0
		for range 100_000 {
			var raw []byte
			for range random.IntN(6) {
				raw = append(raw, all[random.IntN(len(all))]...)
			}
			from := random.IntN(len(raw) + 1)
			to := from + random.IntN(len(raw)+1-from)
			want := true
			for i := from; i < to; i++ {
				want = want && !p.begins(&m.machine, raw, i)
			}
			if got := p.cleanBetween(&m.machine, raw, from, to); got != want {
				t.Fatalf("bytes %d to %d of %q: clean is %v, want %v", from, to, raw, got, want)
			}
			if want {
				clean++
			}
		}
		if clean < 1000 || clean > 99_000 {
			t.Errorf("%d texts are clean: the test compares too few of one kind", clean)
		}
	}
}

// The end of a string is the first quote behind an even number of backslashes.
func TestStringEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 200_000 {
		raw := make([]byte, random.IntN(80))
		for i := range raw {
			raw[i] = "\"\\a\xdc#\xa2]["[random.IntN(8)]
			if random.IntN(3) > 0 {
				raw[i] = 'x'
			}
		}
		from := random.IntN(len(raw) + 1)
		want := from
		for want < len(raw) && raw[want] != '"' {
			if raw[want] == '\\' {
				want++
			}
			want++
		}
		if got := jsonstring.End(raw, from); got != min(want, len(raw)) {
			t.Fatalf("string at %d of %q: end at %d, want %d", from, raw, got, want)
		}
	}
}
