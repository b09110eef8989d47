package assert

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// Check returns an error if nothing is asserted, or if no recording can hold all conditions.
func (c *Conditions) Check() error {
	if c.empty() {
		return commandline.Errorf("nothing is asserted: name conditions as flags, or a file of conditions with --file")
	}
	for _, of := range []struct {
		name string
		err  error
	}{
		{"duration", ordered(c.Duration, durationText)}, {"first_token", ordered(c.FirstToken, durationText)},
		{"longest_gap", ordered(c.LongestGap, durationText)}, {"silence", ordered(c.Silence, durationText)},
		{"tokens", ordered(c.Tokens, countText)}, {"tool_errors", ordered(c.ToolErrors, countText)}, {"cost", c.Cost.ordered()},
	} {
		if of.err != nil {
			return commandline.Errorf("%s: %v", of.name, of.err)
		}
	}
	for i := range c.Calls {
		if err := ordered(&c.Calls[i].Range, countText); err != nil {
			return commandline.Errorf("calls.%s: %v", c.Calls[i].Tool, err)
		}
	}
	return commandline.As(c.toolsContradict())
}

func ordered[T cmp.Ordered](r *Range[T], text func(T) string) error {
	if r != nil && r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		return fmt.Errorf("contradiction: at least %s and at most %s", text(*r.Min), text(*r.Max))
	}
	return nil
}

func (c *Cost) ordered() error {
	if c != nil && c.Min != nil && c.Max != nil && c.Min.GreaterThan(*c.Max) {
		return fmt.Errorf("contradiction: at least %s and at most %s", c.Min, c.Max)
	}
	return nil
}

// toolsContradict compares the conditions on calls of tools with each other.
func (c *Conditions) toolsContradict() error {
	if len(c.ExactOrder) > 0 && len(c.Order) > 0 {
		if at := inOrder(c.Order, c.ExactOrder); at < len(c.Order) {
			return fmt.Errorf("contradiction: order has %s where exact_order does not", c.Order[at])
		}
	}
	for i := range c.Calls {
		calls := &c.Calls[i]
		if n := occurrences(c.ExactOrder, calls.Tool); len(c.ExactOrder) > 0 && !calls.Holds(n) {
			return fmt.Errorf("contradiction: exact_order has %s of %s, calls.%s is %s", console.Count(n, "call"), calls.Tool,
				calls.Tool, rangeText(&calls.Range, countText))
		}
		if n := occurrences(c.Order, calls.Tool); calls.Max != nil && n > *calls.Max {
			return fmt.Errorf("contradiction: order has %s of %s, calls.%s is %s", console.Count(n, "call"), calls.Tool,
				calls.Tool, rangeText(&calls.Range, countText))
		}
		asked := slices.ContainsFunc(c.Arguments, func(a Argument) bool { return a.Tool == calls.Tool })
		if asked && calls.Max != nil && *calls.Max == 0 {
			return fmt.Errorf("contradiction: arguments has a condition on calls of %s, and calls.%s is %s", calls.Tool,
				calls.Tool, rangeText(&calls.Range, countText))
		}
	}
	return nil
}

// inOrder returns how many of the names occur in a list in their order.
func inOrder(names, list []string) int {
	found := 0
	for _, name := range list {
		if found < len(names) && names[found] == name {
			found++
		}
	}
	return found
}

func occurrences(list []string, name string) (n int64) {
	for _, other := range list {
		if other == name {
			n++
		}
	}
	return n
}

// rangeText describes a range: "at most 5".
func rangeText[T cmp.Ordered](r *Range[T], text func(T) string) string {
	switch {
	case r.Min != nil && r.Max != nil && *r.Min == *r.Max:
		return "exactly " + text(*r.Min)
	case r.Min != nil && r.Max != nil:
		return text(*r.Min) + " to " + text(*r.Max)
	case r.Min != nil:
		return "at least " + text(*r.Min)
	case r.Max != nil:
		return "at most " + text(*r.Max)
	}
	return "any"
}

func countText(n int64) string { return console.Thousands(n) }

func durationText(d time.Duration) string { return console.Millis(float64(d) / 1e6) }
