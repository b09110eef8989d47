package assert

import (
	"fmt"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// toolErrors checks the number of tool calls that failed.
func (k *check) toolErrors(r *Range[int64]) {
	if r == nil {
		return
	}
	var failed []*spanmerge.Span
	for _, sp := range k.ofKind(schema.SpanTool) {
		if sp.Status == string(schema.StatusError) {
			failed = append(failed, sp)
		}
	}
	actual := countText(int64(len(failed)))
	at := k.surplus(failed, r)
	if at != nil && failed[*r.Max].Error != "" {
		actual += ": " + console.Clip(strings.TrimSpace(failed[*r.Max].Error), 100)
	}
	k.add("tool_errors", r.Holds(int64(len(failed))), rangeText(r, countText), actual, at)
}

// surplus returns the moment of the first span beyond the upper bound; nil if there is none.
func (k *check) surplus(list []*spanmerge.Span, r *Range[int64]) *Moment {
	if r.Max == nil || int64(len(list)) <= *r.Max {
		return nil
	}
	return k.spanMoment(list[max(*r.Max, 0)])
}

// calls checks the number of calls of a tool.
func (k *check) calls(c *Calls) {
	list := k.callsOf(c.Tool)
	k.add("calls."+c.Tool, c.Holds(int64(len(list))), rangeText(&c.Range, countText), countText(int64(len(list))), k.surplus(list, &c.Range))
}

func (k *check) callsOf(tool string) (list []*spanmerge.Span) {
	for _, sp := range k.ofKind(schema.SpanTool) {
		if sp.Name == tool {
			list = append(list, sp)
		}
	}
	return list
}

// order checks that calls of tools occur in an order, with others between them. It fails at the last call
// that was found.
func (k *check) order(names []string) {
	if len(names) == 0 {
		return
	}
	found, last := 0, (*spanmerge.Span)(nil)
	for _, sp := range k.ofKind(schema.SpanTool) {
		if found < len(names) && sp.Name == names[found] {
			found, last = found+1, sp
		}
	}
	expected := strings.Join(names, ", ") + ", with others between them"
	switch {
	case found == len(names):
		k.add("order", true, expected, "in this order", nil)
	case last == nil:
		k.add("order", false, expected, "no call of "+names[0], nil)
	default:
		k.add("order", false, expected, fmt.Sprintf("%d of %d found, and no call of %s after that of %s", found, len(names), names[found], last.Name), k.spanMoment(last))
	}
}

// exactOrder checks that the calls of tools are exactly these. It fails at the first call that differs.
func (k *check) exactOrder(names []string) {
	if len(names) == 0 {
		return
	}
	expected := strings.Join(names, ", ")
	list := k.ofKind(schema.SpanTool)
	for i, sp := range list {
		switch {
		case i >= len(names):
			k.add("exact_order", false, expected, fmt.Sprintf("call %d is one of %s, after the last that is expected", i+1, sp.Name), k.spanMoment(sp))
			return
		case sp.Name != names[i]:
			k.add("exact_order", false, expected, fmt.Sprintf("call %d is of %s, not of %s", i+1, sp.Name, names[i]), k.spanMoment(sp))
			return
		}
	}
	if len(list) < len(names) {
		k.add("exact_order", false, expected, fmt.Sprintf("%s, then no call of %s", console.Count(len(list), "call"), names[len(list)]), k.end())
		return
	}
	k.add("exact_order", true, expected, "exactly these", nil)
}
