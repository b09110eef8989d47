package bench

import "fmt"

// bar is the target of a figure.
type bar struct {
	name, want, got string
	measured, ok    bool
}

// atLeast returns a bar for a figure that must be at least want.
func atLeast(name string, measured bool, got, want float64, write func(float64) string) bar {
	return bar{name: name, want: "≥ " + write(want), got: write(got), measured: measured, ok: got >= want}
}

// atMost returns a bar for a figure that must be at most want.
func atMost(name string, measured bool, got, want float64, write func(float64) string) bar {
	return bar{name: name, want: "≤ " + write(want), got: write(got), measured: measured, ok: got <= want}
}

// verdict returns the result of comparing the figure with its bar.
func (b bar) verdict() string {
	switch {
	case !b.measured:
		return "not measured"
	case b.ok:
		return "reached"
	}
	return "not reached"
}

func writeBars(p *page, parts []*named) {
	p.text("## Bars")
	p.table("| what | bar | here | |", "|---|---:|---:|---|")
	for _, n := range parts {
		for _, b := range n.part.bars() {
			b.measured = b.measured && n.done
			if !b.measured {
				b.got = unknown
			}
			p.row(b.name, b.want, b.got, b.verdict())
		}
	}
}

// ratio writes a share or a multiple.
func ratio(x float64) string { return fmt.Sprintf("%.2f", x) }

// times writes a multiple.
func times(x float64) string { return fmt.Sprintf("%.1f×", x) }
