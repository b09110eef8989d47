package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tapedeck/query/compare/difference"
)

// Kinds of the first difference, in First.What.
const (
	inPrompt     = "prompt"
	inTools      = "tools"
	inModel      = "model"
	inParameters = "parameters"
	inResult     = "tool_result"
	outCall      = "tool_call"
	outModelCall = "model_call"
	outNode      = "node"
	outText      = "text"
	outThinking  = "thinking"
	outStatus    = "status"
	outEnd       = "end"
	outOrder     = "order"
)

// walk finds the first differences among rows.
type walk struct {
	rows  []Row
	order int
	found Divergence
}

func diverge(rows []Row) *Divergence {
	w := &walk{rows: rows}
	w.level(0, len(rows))
	d := &w.found
	switch {
	case d.Input == nil && d.Output == nil:
		return nil
	case d.Output == nil || d.Input != nil && d.Input.order < d.Output.order:
		d.Cause = "input"
	default:
		d.Cause = "output"
	}
	return d
}

// level visits rows in the order of events: the inputs of a step, the steps inside it, then its
// results.
func (w *walk) level(from, to int) {
	for i := from; i < to && (w.found.Input == nil || w.found.Action == nil); {
		end := i + 1
		for end < to && w.rows[end].Depth > w.rows[i].Depth {
			end++
		}
		w.before(i)
		w.level(i+1, end)
		w.after(i)
		i = end
	}
}

func (w *walk) input(i int, what, phrase string, names ...string) {
	w.order++
	if w.found.Input == nil {
		w.found.Input = w.first(i, what, phrase, names)
	}
}

func (w *walk) output(i int, what, phrase string, action bool) {
	w.order++
	if w.found.Output == nil {
		w.found.Output = w.first(i, what, phrase, nil)
	}
	if action && w.found.Action == nil {
		w.found.Action = w.first(i, what, phrase, nil)
	}
}

func (w *walk) first(i int, what, phrase string, names []string) *First {
	r := &w.rows[i]
	f := &First{What: what, Row: i, Names: names, Phrase: phrase, order: w.order}
	if names == nil {
		f.Names = []string{}
	}
	f.A, f.B = r.A, r.B
	if r.a != nil && r.b != nil {
		f.TextA, f.TextB = excerpts(what, r.a, r.b)
		return f
	}
	// Two steps that are each on one side only both belong to the difference.
	if other := w.counterpart(i); other != nil {
		f.A, f.B = cmp.Or(f.A, other.A), cmp.Or(f.B, other.B)
	}
	if f.A != nil {
		f.TextA = f.A.Excerpt
	}
	if f.B != nil {
		f.TextB = f.B.Excerpt
	}
	return f
}

// counterpart returns the first row next to a one-sided row that has a step of the other side only,
// or nil if there is none.
func (w *walk) counterpart(i int) *Row {
	at := &w.rows[i]
	for k := i + 1; k < len(w.rows) && w.rows[k].Depth >= at.Depth; k++ {
		r := &w.rows[k]
		if r.Depth > at.Depth {
			continue
		}
		if r.a != nil && r.b != nil {
			return nil
		}
		if (r.a == nil) != (at.a == nil) {
			return r
		}
	}
	return nil
}

func (w *walk) before(i int) {
	r := &w.rows[i]
	switch r.Class {
	case Retried:
		w.input(i, inResult, fmt.Sprintf("%s failed in %s, which tried again", r.what(), r.side()))
		return
	case Reordered:
		w.output(i, outOrder, "the order differs: "+r.what()+" is at another place", true)
		return
	case OnlyA, OnlyB:
		w.alone(i)
		return
	}
	for _, f := range r.Changed {
		switch f {
		case FieldModel:
			w.input(i, inModel,
				fmt.Sprintf("the model is %s in A, %s in B", modelName(r.a.model), modelName(r.b.model)))
		case FieldTools:
			names := changedTools(r.a.request, r.b.request)
			w.input(i, inTools, "the tool definitions differ ("+list(names)+")", names...)
		case FieldParams:
			w.parameters(i)
		case FieldArguments:
			w.output(i, outCall, "both called "+r.Name+" with different arguments", true)
		case FieldText:
			if r.Kind == KindUser || r.Kind == KindSystem {
				w.input(i, inPrompt, "the "+promptName(r.Kind)+" differs")
			}
		}
	}
}

func (w *walk) parameters(i int) {
	r := &w.rows[i]
	var names []string
	for _, name := range changedParameters(r.a.request, r.b.request) {
		if slices.Contains(prompts, name) {
			w.input(i, inPrompt, "the system prompt differs", name)
			continue
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return
	}
	if a, b := r.a.request.plain(names[0]), r.b.request.plain(names[0]); len(names) == 1 && a != "" && b != "" {
		w.input(i, inParameters, fmt.Sprintf("%s is %s in A, %s in B", names[0], a, b), names...)
		return
	}
	w.input(i, inParameters, "the parameters differ ("+list(names)+")", names...)
}

// alone records a step that only one session has.
func (w *walk) alone(i int) {
	r := &w.rows[i]
	switch r.Kind {
	case KindUser, KindSystem:
		w.input(i, inPrompt, "only "+r.side()+" has this "+promptName(r.Kind))
		return
	case KindEnd:
		w.output(i, outEnd, r.did(), true)
		return
	}
	what := map[Kind]string{KindTool: outCall, KindModel: outModelCall, KindNode: outNode}[r.Kind]
	var phrase string
	switch other := w.counterpart(i); {
	case other != nil && other.a == nil:
		phrase = r.did() + ", " + other.did()
	case other != nil:
		phrase = other.did() + ", " + r.did()
	case w.last(i):
		phrase = r.did() + ", " + r.otherSide() + " had ended"
	default:
		phrase = r.did() + ", " + r.otherSide() + " did not"
	}
	w.output(i, cmp.Or(what, outText), phrase, true)
}

// last reports whether no row of the other side follows.
func (w *walk) last(i int) bool {
	r := &w.rows[i]
	return !slices.ContainsFunc(w.rows[i+1:], func(x Row) bool {
		return x.a != nil && r.a == nil || x.b != nil && r.b == nil
	})
}

func (w *walk) after(i int) {
	r := &w.rows[i]
	if r.Class != ArgumentsChanged && r.Class != ResultChanged {
		return
	}
	failed := func(name string) string {
		return fmt.Sprintf("%s ended %s in A, %s in B", name, r.a.status, r.b.status)
	}
	for _, f := range r.Changed {
		switch {
		case f == FieldThinking:
			w.output(i, outThinking, "the thinking differs", false)
		case f == FieldText && r.Kind != KindUser && r.Kind != KindSystem:
			w.output(i, outText, "the answer differs", false)
		case f == FieldResult && slices.Contains(r.Changed, FieldArguments):
			// A result that differs after different arguments follows from them and is not an
			// input.
		case f == FieldResult:
			w.input(i, inResult, "the result of "+r.Name+" differs")
		case f == FieldStatus && r.Kind == KindTool && !slices.Contains(r.Changed, FieldArguments):
			w.input(i, inResult, failed(r.Name))
		case f == FieldStatus:
			w.output(i, outStatus, failed(r.what()), true)
		}
	}
}

func (r *Row) side() string {
	if r.a != nil {
		return "A"
	}
	return "B"
}

func (r *Row) otherSide() string {
	if r.a != nil {
		return "B"
	}
	return "A"
}

// did returns a phrase for the step of a one-sided row.
func (r *Row) did() string {
	switch r.Kind {
	case KindTool:
		return r.side() + " called " + r.Name
	case KindModel:
		return r.side() + " called the model"
	case KindNode:
		return r.side() + " went to " + r.Name
	case KindUser, KindSystem:
		return r.side() + " received another prompt"
	case KindEnd:
		return r.side() + " ended with status " + r.Name
	case KindError:
		return r.side() + " reported an error"
	}
	return r.side() + " sent a message"
}

// what returns a phrase that names the step of a row.
func (r *Row) what() string {
	switch r.Kind {
	case KindModel:
		if r.Name == "" {
			return "a model call"
		}
		return "the call of " + r.Name
	case KindTool, KindNode:
		return r.Name
	case KindUser, KindSystem:
		return "the " + promptName(r.Kind)
	}
	return "a " + string(r.Kind) + " step"
}

func promptName(k Kind) string {
	if k == KindSystem {
		return "system message"
	}
	return "prompt"
}

// modelName returns a model's name, or "not recorded" if it is "".
func modelName(name string) string { return cmp.Or(name, "not recorded") }

// list joins names, at most four of them.
func list(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// excerptBytes bounds an excerpt.
const excerptBytes = 240

// excerpts returns the parts of two contents where their first difference is.
func excerpts(what string, a, b *step) (string, string) {
	x, y := a.said(), b.said()
	switch what {
	case inResult:
		x, y = cmp.Or(a.result.text, a.err), cmp.Or(b.result.text, b.err)
	case outThinking:
		x, y = a.thinking.text, b.thinking.text
	case inModel:
		x, y = a.model, b.model
	case outStatus:
		x, y = cmp.Or(a.err, a.status), cmp.Or(b.err, b.status)
	case inTools, inParameters:
		return "", ""
	}
	from := 0
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	from = max(from-excerptBytes/4, 0)
	return part(x, from), part(y, from)
}

func part(s string, from int) string {
	if from == 0 {
		return difference.Clip(s, excerptBytes)
	}
	for from < len(s) && s[from]&0xC0 == 0x80 {
		from++
	}
	return "…" + difference.Clip(s[min(from, len(s)):], excerptBytes)
}
