package printers

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/compare"
	"tapedeck/query/compare/difference"
)

// Comparison writes the first difference of two sessions, their figures, and the steps that differ;
// with all set it also lists the equal steps.
func Comparison(out io.Writer, found *compare.Comparison, all bool) error {
	w := console.To(out)
	fmt.Fprintln(w, found.Summary.Sentence)
	fmt.Fprintln(w)
	if err := printSides(out, found); err != nil {
		return err
	}
	printFirst(w, found.FirstDivergence)
	return printRows(out, found, all)
}

// ComparedRows writes the differences within the rows of a comparison.
func ComparedRows(out io.Writer, found *compare.Comparison) {
	for i := range found.Steps {
		printDetail(console.To(out), &found.Steps[i])
	}
}

// printSides prints the figures of both sessions and their differences.
func printSides(out io.Writer, c *compare.Comparison) error {
	t := console.NewTable(out, "", "session", "started", "status", "steps", "took", "waiting", "first token",
		"generation", "tools", "tokens", "cost")
	t.Optional("started", "first token", "waiting", "generation", "status")
	for i, s := range []*compare.Side{&c.A, &c.B} {
		steps := strconv.Itoa(s.Steps)
		if s.Truncated {
			steps += " and more"
		}
		t.Row(string("AB"[i]), console.Clip(s.SessionID, 40), console.LocalTime(s.Started), s.Status, steps,
			console.Millis(s.DurationMS),
			millisOf(s.Time.WaitingMS), millisOf(s.Time.FirstTokenMS), millisOf(s.Time.GenerationMS), millisOf(s.Time.ToolMS),
			sideTokens(s.Totals), sideCost(s.Totals))
	}
	s := &c.Summary
	tokens, cost := Unknown, Unknown
	if s.Tokens != nil {
		tokens = signed(cmp.Compare(*s.Tokens, 0), console.Thousands(max(*s.Tokens, -*s.Tokens)))
	}
	if s.Cost != nil {
		size := *s.Cost
		size.Amount = size.Amount.Abs()
		cost = signed(s.Cost.Amount.Sign(), money(&size))
	}
	t.Row("B−A", "", "", "", fmt.Sprintf("%+d", c.B.Steps-c.A.Steps), moreMillis(&s.DurationMS),
		moreMillis(s.Time.WaitingMS), moreMillis(s.Time.FirstTokenMS), moreMillis(s.Time.GenerationMS), moreMillis(s.Time.ToolMS), tokens, cost)
	return t.Flush()
}

func sideTokens(s compare.Totals) string {
	if s.Tokens == nil {
		return Unknown
	}
	return console.Thousands(s.Tokens.Total)
}

func sideCost(s compare.Totals) string {
	if s.Cost == nil {
		return Unknown
	}
	return money(s.Cost)
}

// printFirst prints the first input and the first output that differ.
func printFirst(w io.Writer, d *compare.Divergence) {
	if d == nil {
		return
	}
	for _, f := range []struct {
		name  string
		first *compare.First
	}{{"First input that differs", d.Input}, {"First output that differs", d.Output}, {"First action that differs", d.Action}} {
		if f.first == nil || f.name == "First action that differs" && d.Output != nil && d.Action.Row == d.Output.Row {
			continue
		}
		fmt.Fprintf(w, "\n%s: %s (row %d)\n", f.name, f.first.Phrase, f.first.Row)
		for _, side := range []struct{ name, text string }{{"A", f.first.TextA}, {"B", f.first.TextB}} {
			if side.text != "" {
				fmt.Fprintf(w, "  %s  %s\n", side.name, console.Line(side.text))
			}
		}
	}
}

// signs are the marks of the classes of rows.
var signs = map[compare.Class]string{
	compare.Matched: "=", compare.ArgumentsChanged: "≠ arguments", compare.ResultChanged: "≠ result", compare.OnlyA: "only A",
	compare.OnlyB: "only B", compare.Reordered: "⇄ reordered", compare.Retried: "↻ retried",
}

func startOf(s *compare.StepOf) string {
	if s == nil {
		return ""
	}
	return "+" + console.Millis(s.StartMS)
}

func tookMore(r *compare.Row) string {
	if r.Difference == nil {
		return ""
	}
	return moreMillis(r.Difference.DurationMS)
}

func changedFields(r *compare.Row) string {
	list := make([]string, len(r.Changed))
	for i, f := range r.Changed {
		list[i] = string(f)
	}
	return strings.Join(list, ", ")
}

func excerptOf(r *compare.Row) string {
	if r.A != nil {
		return r.A.Excerpt
	}
	return r.B.Excerpt
}

// printDetail prints the differences of a row: {-text of A-} and {+text of B+}.
func printDetail(w io.Writer, r *compare.Row) {
	fmt.Fprintf(w, "row %d: %s %s, %s\n", r.Index, r.Kind, r.Name, signs[r.Class])
	for _, d := range r.Detail {
		state := ""
		switch {
		case d.Same:
			state = " (the same)"
		case d.Cut:
			state = " (beginning)"
		}
		fmt.Fprintf(w, "\n%s%s\n", d.Field, state)
		switch {
		case d.Same:
			fmt.Fprintln(w, d.A)
		case len(d.Paths) > 0:
			for _, p := range d.Paths {
				fmt.Fprintf(w, "  %s  %s → %s\n", p.Path, jsonOf(p.A), jsonOf(p.B))
			}
			if d.More {
				fmt.Fprintln(w, "  … and more")
			}
		case len(d.Words) > 0:
			for _, p := range d.Words {
				switch p.Op {
				case difference.OnlyA:
					fmt.Fprintf(w, "{-%s-}", p.Text)
				case difference.OnlyB:
					fmt.Fprintf(w, "{+%s+}", p.Text)
				default:
					fmt.Fprint(w, p.Text)
				}
			}
			fmt.Fprintln(w)
		default:
			fmt.Fprintf(w, "  A  %s\n  B  %s\n", OrDash(d.A), OrDash(d.B))
		}
	}
}

func jsonOf(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}

// printRows lists the rows. Equal rows are counted, or listed with all set.
func printRows(out io.Writer, found *compare.Comparison, all bool) error {
	if len(found.Steps) == 0 || found.Summary.Identical && !all {
		return nil
	}
	fmt.Fprintln(out)
	t := console.NewTable(out, "row", "", "step", "at in A", "at in B", "took", "differs", "what")
	t.Optional("took", "at in B")
	same := 0
	flush := func() {
		if same > 0 {
			t.Row("", "=", console.Count(same, "step")+" the same", "", "", "", "", "")
		}
		same = 0
	}
	for i := range found.Steps {
		r := &found.Steps[i]
		if r.Class == compare.Matched && !all {
			same++
			continue
		}
		flush()
		t.Row(r.Index, signs[r.Class], strings.Repeat("  ", r.Depth)+strings.TrimSpace(string(r.Kind)+" "+console.Clip(r.Name, 40)),
			startOf(r.A), startOf(r.B), tookMore(r), changedFields(r), console.Clip(console.Line(excerptOf(r)), 60))
	}
	flush()
	return t.Flush()
}
