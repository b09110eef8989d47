package dialects_test

import (
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
)

// greedy is a mapping file that matches every JSON frame.
const greedy = "name: greedy\nmatch:\n  - {$direction: {exists: true}}\nrules:\n  - {ignore: true}\n"

// TestCustomTakesNothing checks that a stream stays with the built-in dialect that is Certain of
// it.
func TestCustomTakesNothing(t *testing.T) {
	m, err := custom.Parse("greedy.yaml", []byte(greedy))
	if err != nil {
		t.Fatal(err)
	}
	certain, taken := 0, 0
	for _, s := range samples(t, "cases", "captures") {
		r, with := dialects.NewRecogniser(), dialects.NewRecogniserOf(dialects.With(m.Dialect()))
		var p ingest.Parser
		for i := range s.frames {
			f := s.frames[i]
			p.Parse(&f, func(in *dialect.Input) {
				r.Observe(in)
				with.Observe(in)
			})
		}
		before, _ := r.Settle()
		after, _ := with.Settle()
		switch {
		case r.Best() == dialect.Certain:
			if certain++; after.Name != before.Name {
				t.Errorf("%s: %s, without the file %s", s.file, after.Name, before.Name)
			}
		case after.Name == "greedy":
			taken++
		}
	}
	if certain == 0 || taken == 0 {
		t.Errorf("%d streams are certain, %d are taken: this shows nothing", certain, taken)
	}
}

// TestSetCustom checks that names are unique.
func TestSetCustom(t *testing.T) {
	t.Cleanup(func() { _ = dialects.SetCustom(nil) })
	d := dialect.Dialect{Name: "mine"}
	if err := dialects.SetCustom([]dialect.Dialect{d}); err != nil {
		t.Fatal(err)
	}
	if found, err := dialects.ByName("mine"); err != nil || found.Name != "mine" {
		t.Errorf("%s, %v", found.Name, err)
	}
	for _, list := range [][]dialect.Dialect{{d, d}, {{Name: "loom"}}, {{Name: "generic"}}} {
		if err := dialects.SetCustom(list); err == nil {
			t.Errorf("%v: no error", list)
		}
	}
}
