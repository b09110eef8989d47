package compare

import (
	"slices"

	"tapedeck/query/compare/align"
	"tapedeck/schema"
)

// reorderedWithin is the largest number of rows of one level between the two positions of a step
// that counts as reordered.
const reorderedWithin = 64

// recoveredWithin is the number of steps after a failed step within which an equal step that
// succeeds counts as its retry.
const recoveredWithin = 4

// resyncSteps is the number of consecutive equal rows that count as resynchronised. At the end of a
// level fewer are enough.
const resyncSteps = 2

// alignSteps appends the rows of two levels of steps, and of the steps inside them.
func alignSteps(rows []Row, a, b []*step, depth int) []Row {
	level := reorder(align.Align(elements(a), elements(b)), a, b)
	for _, p := range level {
		row := Row{Depth: depth}
		if p.A != align.None {
			row.a = a[p.A]
		}
		if p.B != align.None {
			row.b = b[p.B]
		}
		row.classify()
		switch {
		case p.moved:
			row.Class = Reordered
		case row.b == nil && recovered(a, p.A), row.a == nil && recovered(b, p.B):
			row.Class = Retried
		}
		rows = append(rows, row)
		rows = alignHeld(rows, &row, depth+1)
	}
	return rows
}

func alignHeld(rows []Row, above *Row, depth int) []Row {
	var a, b []*step
	if above.a != nil {
		a = above.a.children
	}
	if above.b != nil {
		b = above.b.children
	}
	if len(a)+len(b) == 0 {
		return rows
	}
	return alignSteps(rows, a, b, depth)
}

func elements(steps []*step) []align.Element {
	list := make([]align.Element, len(steps))
	for i, st := range steps {
		list[i] = st.element
	}
	return list
}

type place struct {
	align.Pair
	moved bool
}

// reorder joins each step that only one side has with an equal step of the other side.
func reorder(pairs []align.Pair, a, b []*step) []place {
	left := map[align.Hash][]int{} // one-sided rows of A, by key
	for row, p := range pairs {
		if p.B == align.None && a[p.A].movable() {
			left[a[p.A].element.Key] = append(left[a[p.A].element.Key], row)
		}
	}
	level := make([]place, len(pairs))
	for row, p := range pairs {
		level[row].Pair = p
	}
	for row, p := range pairs {
		if p.A != align.None || !b[p.B].movable() {
			continue
		}
		key := b[p.B].element.Key
		for k, other := range left[key] {
			if other-row <= reorderedWithin && row-other <= reorderedWithin {
				level[other].B, level[other].moved = p.B, true
				level[row].B = align.None // joined
				left[key] = slices.Delete(left[key], k, k+1)
				break
			}
		}
	}
	return slices.DeleteFunc(level, func(p place) bool { return p.A == align.None && p.B == align.None })
}

// movable reports whether its content identifies a step, as it does for tool calls, nodes and
// prompts.
func (st *step) movable() bool {
	switch st.kind {
	case KindTool, KindNode:
		return true
	case KindModel, KindAssistant, KindUser:
		return !st.text.empty()
	}
	return false
}

// recovered reports whether a step failed and an equal step succeeded soon after.
func recovered(steps []*step, at int) bool {
	failed := steps[at]
	if schema.Status(failed.status) != schema.StatusError ||
		failed.kind != KindTool && failed.kind != KindModel && failed.kind != KindNode {
		return false
	}
	for _, st := range steps[at+1 : min(at+1+recoveredWithin, len(steps))] {
		if st.agent == failed.agent && st.element.Loose == failed.element.Loose && schema.Status(st.status) == schema.StatusOK {
			return true
		}
	}
	return false
}

// classify sets the class of a row and the fields that differ.
func (r *Row) classify() {
	r.Changed = []Field{}
	switch {
	case r.b == nil:
		r.Class, r.Kind, r.Name = OnlyA, r.a.kind, r.a.name
		return
	case r.a == nil:
		r.Class, r.Kind, r.Name = OnlyB, r.b.kind, r.b.name
		return
	}
	a, b := r.a, r.b
	r.Class, r.Kind, r.Name = Matched, a.kind, a.name
	given := func(f Field, same bool) {
		if !same {
			r.Changed = append(r.Changed, f)
			r.Class = ArgumentsChanged
		}
	}
	came := func(f Field, same bool) {
		if !same {
			r.Changed = append(r.Changed, f)
			if r.Class == Matched {
				r.Class = ResultChanged
			}
		}
	}
	given(FieldModel, a.model == b.model)
	given(FieldParams, len(changedParameters(a.request, b.request)) == 0)
	given(FieldTools, len(changedTools(a.request, b.request)) == 0)
	given(FieldArguments, a.arguments.norm == b.arguments.norm)
	if a.kind == KindUser || a.kind == KindSystem {
		given(FieldText, a.text.norm == b.text.norm)
	} else {
		came(FieldText, a.text.norm == b.text.norm)
	}
	came(FieldThinking, a.thinking.norm == b.thinking.norm)
	came(FieldResult, a.result.norm == b.result.norm)
	came(FieldStatus, a.status == b.status)
}

// resynchronise marks the rows where equal rows begin after a difference, and returns their number.
func resynchronise(rows []Row) int {
	times, differs := 0, false
	for i := range rows {
		if rows[i].Class != Matched {
			differs = true
			continue
		}
		if !differs {
			continue
		}
		end := i
		for end < len(rows) && rows[end].Class == Matched {
			end++
		}
		if end-i >= resyncSteps || end == len(rows) {
			rows[i].Resynchronised, differs = true, false
			times++
		}
	}
	return times
}
