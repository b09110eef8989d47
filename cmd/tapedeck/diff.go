package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/compare"
	"tapedeck/query/compare/difference"
)

// diffCommand compares two sessions.
type diffCommand struct {
	A     string `arg:"" help:"The id of a session." name:"a"`
	B     string `arg:"" help:"The id of another session." name:"b"`
	All   bool   `help:"Also list the equal steps."`
	Row   *int   `help:"Show the differences in row N of the list: words of texts, paths of JSON." placeholder:"N"`
	Exact bool   `help:"Compare ids and times, too."`
	Limit int    `help:"How many steps of each session to compare, up to 10000." default:"5000" placeholder:"N"`
}

// Run prints the first difference of the sessions, and the steps that differ.
func (c *diffCommand) Run(ctx context.Context, g *global) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	var found compare.Comparison
	if done, err := g.fetch(ctx, "v1/compare", q, &found); done || err != nil {
		return err
	}
	w := console.To(os.Stdout)
	if c.Row != nil {
		for i := range found.Steps {
			printDetail(w, &found.Steps[i])
		}
		return nil
	}
	fmt.Fprintln(w, found.Summary.Sentence)
	fmt.Fprintln(w)
	if err := printSides(&found); err != nil {
		return err
	}
	printFirst(w, found.FirstDivergence)
	return c.printRows(w, &found)
}

func (c *diffCommand) query() (url.Values, error) {
	if c.A == "" || c.B == "" {
		return nil, usage.Errorf("a session's id is empty: name two sessions; \"tapedeck sessions\" lists them")
	}
	q := url.Values{"a": {c.A}, "b": {c.B}, "limit": {strconv.Itoa(c.Limit)}}
	if c.Exact {
		q.Set("exact", "1")
	}
	if c.Row != nil {
		q.Set("row", strconv.Itoa(*c.Row))
	}
	return q, nil
}

// printSides prints the figures of both sessions and their differences.
func printSides(c *compare.Comparison) error {
	t := console.NewTable(os.Stdout, "", "session", "started", "status", "steps", "took", "waiting", "first token", "generation", "tools", "tokens", "cost")
	for i, s := range []*compare.Side{&c.A, &c.B} {
		steps := strconv.Itoa(s.Steps)
		if s.Truncated {
			steps += " and more"
		}
		t.Row(string("AB"[i]), console.Clip(s.SessionID, 40), console.LocalTime(s.Started), s.Status, steps, console.Millis(s.DurationMS),
			millisOf(s.Time.WaitingMS), millisOf(s.Time.FirstTokenMS), millisOf(s.Time.GenerationMS), millisOf(s.Time.ToolMS),
			sideTokens(s.Spent), sideCost(s.Spent))
	}
	s := &c.Summary
	tokens, cost := unknown, unknown
	if s.Tokens != nil {
		tokens = signed(*s.Tokens >= 0, console.Thousands(*s.Tokens))
	}
	if s.Cost != nil {
		cost = signed(!s.Cost.Amount.IsNegative(), money(s.Cost))
	}
	t.Row("B−A", "", "", "", fmt.Sprintf("%+d", c.B.Steps-c.A.Steps), moreMillis(&s.DurationMS),
		moreMillis(s.Time.WaitingMS), moreMillis(s.Time.FirstTokenMS), moreMillis(s.Time.GenerationMS), moreMillis(s.Time.ToolMS), tokens, cost)
	return t.Flush()
}

func sideTokens(s compare.Spent) string {
	if s.Tokens == nil {
		return unknown
	}
	return console.Thousands(s.Tokens.Total)
}

func sideCost(s compare.Spent) string {
	if s.Cost == nil {
		return unknown
	}
	return money(s.Cost)
}

// moreMillis writes a difference of durations.
func moreMillis(ms *float64) string {
	switch {
	case ms == nil:
		return unknown
	case *ms < 0:
		return "−" + console.Millis(-*ms)
	}
	return "+" + console.Millis(*ms)
}

func signed(positive bool, number string) string {
	if positive {
		return "+" + number
	}
	return strings.Replace(number, "-", "−", 1)
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

// printRows lists the rows. Equal rows are counted, or listed with --all.
func (c *diffCommand) printRows(w io.Writer, found *compare.Comparison) error {
	if len(found.Steps) == 0 || found.Summary.Identical && !c.All {
		return nil
	}
	fmt.Fprintln(w)
	t := console.NewTable(os.Stdout, "row", "", "step", "at in A", "at in B", "took", "differs", "what")
	same := 0
	flush := func() {
		if same > 0 {
			t.Row("", "=", console.Count(same, "step")+" the same", "", "", "", "", "")
		}
		same = 0
	}
	for i := range found.Steps {
		r := &found.Steps[i]
		if r.Class == compare.Matched && !c.All {
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
			fmt.Fprintf(w, "  A  %s\n  B  %s\n", orDash(d.A), orDash(d.B))
		}
	}
}

func jsonOf(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}
