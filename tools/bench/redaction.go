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

// redaction measures what masking secrets costs: the whole way of a frame with it and
// without, in turns.
type redaction struct{ sets []*redactionSet }

// redactionSet are the passes over one file.
type redactionSet struct {
	name    string
	on, off whole
}

// noRedact is the setting of `tapedeck record` that turns redaction off.
const noRedact = "TAPEDECK_NO_REDACT=1"

func (s *redaction) measure(ctx context.Context, w *workshop) error {
	texts := filepath.Join(w.Dir, "texts.ndjson")
	n := full(w, 30_000, 500)
	if err := longTexts(n, texts); err != nil {
		return err
	}
	for _, set := range []struct {
		name, path string
		frames     uint64
	}{{"the frames of this page", w.path, w.frames}, {"texts of 4 KB with line breaks and quotes", texts, uint64(n)}} {
		r := &redactionSet{name: set.name}
		for _, pass := range []*whole{&r.on, &r.off} {
			if err := pass.take(set.path, set.frames); err != nil {
				return err
			}
		}
		r.off.env = []string{noRedact}
		for range full(w, 5, 1) {
			for _, pass := range []*whole{&r.on, &r.off} {
				if err := pass.once(ctx, w); err != nil {
					return err
				}
			}
		}
		s.sets = append(s.sets, r)
	}
	return nil
}

// ratios returns the rate with redaction as a share of that without: the median of the pairs
// of passes, the least and the greatest.
func (r *redactionSet) ratios() (median, low, high float64) {
	var all []float64
	for i := range r.on.passes {
		all = append(all, r.on.passes[i].run.Rate()/r.off.passes[i].run.Rate())
	}
	slices.Sort(all)
	return all[(len(all)-1)/2], all[0], all[len(all)-1]
}

func (s *redaction) write(p *page) {
	p.text("`tapedeck record FILE` as above, with secrets masked as by default and with `--no-redact`, in turns.")
	p.table("| | frames/s with | without | ratio | CPU-seconds per million frames with | without |", "|---|---:|---:|---:|---:|---:|")
	for _, r := range s.sets {
		median, low, high := r.ratios()
		on, off := r.on.median(), r.off.median()
		p.row(r.name, r.on.runs().median(), r.off.runs().median(), fmt.Sprintf("**%.2f** (%.2f–%.2f)", median, low, high),
			cpuSeconds(on.run.CPU, on.run.Frames), cpuSeconds(off.run.CPU, off.run.Frames))
	}
}

func (s *redaction) bars() (bars []bar) {
	const want = 0.9
	for i, name := range []string{"redaction on, of the rate without it", "redaction on, of the rate without it: long texts"} {
		got, measured := 0.0, i < len(s.sets)
		if measured {
			got, _, _ = s.sets[i].ratios()
		}
		bars = append(bars, atLeast(name, measured, got, want, ratio))
	}
	return bars
}

// longTexts writes n frames with a text of about 4 KB each to a file, five to a session.
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
