package compare

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// summarise computes the summary from the rows and the first divergence.
func (c *Comparison) summarise(oneSession bool) {
	s := &c.Summary
	s.Classes = make(map[Class]int, len(Classes))
	for _, class := range Classes {
		s.Classes[class] = 0
	}
	for i := range c.Steps {
		s.Classes[c.Steps[i].Class]++
	}
	s.Identical = c.FirstDivergence == nil && len(c.Agents) == 0
	s.SameSteps = c.sameSteps()
	s.Resynchronised = resynchronise(c.Steps)
	s.DurationMS = c.B.DurationMS - c.A.DurationMS
	s.Time = c.B.Time.minus(c.A.Time)
	s.Tokens, s.Cost = moreTokens(c.A.Tokens, c.B.Tokens), moreCost(c.A.Cost, c.B.Cost)
	s.Sentence = c.sentence(oneSession)
}

// sameSteps counts the equal rows before the first difference. Steps that contain the difference do
// not count.
func (c *Comparison) sameSteps() int {
	if c.FirstDivergence == nil {
		return len(c.Steps)
	}
	at := c.FirstDivergence.earlier().Row
	same := 0
	for i := range at {
		if c.Steps[i].Class == Matched && !c.holds(i, at) {
			same++
		}
	}
	return same
}

// holds reports whether the step of row i contains the step of a later row.
func (c *Comparison) holds(i, later int) bool {
	for k := i + 1; k <= later; k++ {
		if c.Steps[k].Depth <= c.Steps[i].Depth {
			return false
		}
	}
	return true
}

func (d *Divergence) earlier() *First {
	if d.Cause == "input" {
		return d.Input
	}
	return d.Output
}

func (c *Comparison) sentence(oneSession bool) string {
	d := c.FirstDivergence
	if len(c.Steps) == 0 {
		return "Neither session has a step."
	}
	end := c.agentsNote() + "."
	if c.A.Truncated || c.B.Truncated {
		end = fmt.Sprintf(" (the first %d and %d steps were compared)%s", c.A.Steps, c.B.Steps, end)
	}
	if d == nil {
		if oneSession {
			return "A and B are the same session of " + steps(len(c.Steps)) + end
		}
		return "The same in all " + steps(len(c.Steps)) + c.slower() + end
	}
	parts := []string{"The same for " + steps(c.Summary.SameSteps)}
	if c.Summary.SameSteps == 0 {
		parts[0] = "Different from the start"
	}
	first, second := d.earlier(), d.Output
	if d.Cause == "output" {
		second = d.Input
	}
	parts = append(parts, first.moment())
	if second != nil && (d.Cause == "input" || d.Action == nil || d.Input.order < d.Action.order) {
		parts = append(parts, second.moment())
	}
	if a := d.Action; a != nil && a.order != d.Output.order {
		parts = append(parts, a.moment())
	}
	return strings.Join(parts, "; ") + end
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// slower names the session that took longer, if the difference is at least a tenth.
func (c *Comparison) slower() string {
	more := c.Summary.DurationMS
	if math.Abs(more) < 100 || math.Abs(more) < 0.1*math.Max(c.A.DurationMS, c.B.DurationMS) {
		return ""
	}
	side := "B"
	if more < 0 {
		side = "A"
	}
	return fmt.Sprintf("; %s took %s longer", side, span(math.Abs(more)))
}

// moment describes a difference and its time. The time is that of A if A has the step.
func (f *First) moment() string {
	at := f.A
	if at == nil {
		at = f.B
	}
	return fmt.Sprintf("at +%s %s", span(at.StartMS), f.Phrase)
}

// span formats a duration: 23.4 s, 4 min 10 s.
func span(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
