package bench

import (
	"context"
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
	if err := GenerateTexts(pick(h, 30_000, 500), textSize, 5, texts); err != nil {
		return err
	}
	for _, of := range []struct{ name, path string }{
		{"the frames of this page", h.path},
		{"texts of 4 KB with line breaks and quotes", texts},
	} {
		with, err := fileWorkload(of.name, of.path)
		if err != nil {
			return err
		}
		without, err := fileWorkload(of.name, of.path, noRedact)
		if err != nil {
			return err
		}
		set := RedactionOf{Name: of.name, With: with.results(), Without: without.results()}
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
