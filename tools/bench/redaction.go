package bench

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// RedactionOf compares alternating passes over one file with and without redaction.
type RedactionOf struct {
	Name    string    `json:"name"`
	With    *EndToEnd `json:"with"`
	Without *EndToEnd `json:"without"`
}

// Share is a rate as a share of another one: the median, the lowest and the highest of the pairs of
// passes.
type Share struct{ Median, Low, High float64 }

// Ratio returns the rate with redaction as a share of the rate without it.
func (r RedactionOf) Ratio() Share {
	var all []float64
	for i := range r.With.Passes {
		all = append(all, r.With.Passes[i].Rate()/r.Without.Passes[i].Rate())
	}
	slices.Sort(all)
	return Share{all[(len(all)-1)/2], all[0], all[len(all)-1]}
}

// noRedact is the environment variable of `tapedeck record` that turns redaction off.
const noRedact = "TAPEDECK_NO_REDACT=1"

func measureRedaction(ctx context.Context, h *harness, r *Results) error {
	texts := filepath.Join(h.Dir, "texts.ndjson")
	n := pick(h, 30_000, 500)
	if err := longTexts(n, texts); err != nil {
		return err
	}
	for _, of := range []struct {
		name string
		recording
	}{
		{"the frames of this page", recording{path: h.path, frames: h.frames}},
		{"texts of 4 KB with line breaks and quotes", recording{path: texts, frames: uint64(n)}},
	} {
		with := of.recording
		without := with
		without.env = []string{noRedact}
		set := RedactionOf{Name: of.name, With: &EndToEnd{}, Without: &EndToEnd{}}
		for _, e := range []*EndToEnd{set.With, set.Without} {
			if err := e.expect(of.path); err != nil {
				return err
			}
		}
		for range pick(h, 5, 1) {
			if err := set.With.record(ctx, h, with); err != nil {
				return err
			}
			if err := set.Without.record(ctx, h, without); err != nil {
				return err
			}
		}
		r.Redaction = append(r.Redaction, set)
	}
	return nil
}

// longTexts writes n frames, each with a text of about 4 KB, to a file, five per session.
func longTexts(n int, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("generate long texts: %w", err)
	}
	defer f.Close()
	g := &generator{out: bufio.NewWriterSize(f, 1<<20), random: rand.New(rand.NewPCG(7, 7)), node: "run-think-0"}
	for g.frames < n {
		if g.frames%5 == 0 {
			g.number, g.eventID = g.number+1, 0
		}
		text := make([]byte, 0, 4200)
		for len(text) < 4096 {
			text = fmt.Appendf(text, `func (r *%s) %s() error {\n\treturn fmt.Errorf(\"%s\", r.%s)\n}\n\n`, g.word(), g.word(), g.words(6), g.word())
		}
		g.emit(`"type":"message_chunk","content":"%s","id":"think"`, text)
	}
	return g.out.Flush()
}
