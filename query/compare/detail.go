package compare

import (
	"tapedeck/query/compare/difference"
	"tapedeck/query/compare/normalise"
)

// changesMost bounds the number of listed changes of a JSON text.
const changesMost = 200

// wordsBytes bounds each text that is compared word by word: the sum of all messages of a step.
const wordsBytes = 256 << 10

// detail compares the texts of a row's two steps. A missing step has empty texts.
func (r *Row) detail(n *normalise.Normaliser) []FieldDiff {
	a, b := r.a, r.b
	if a == nil {
		a = &step{}
	}
	if b == nil {
		b = &step{}
	}
	list := []FieldDiff{}
	for _, f := range []struct {
		field Field
		a, b  *content
		kind  normalise.Kind
	}{
		{FieldArguments, &a.arguments, &b.arguments, normalise.Arguments},
		{FieldThinking, &a.thinking, &b.thinking, normalise.Result},
		{FieldText, &a.text, &b.text, normalise.Result},
		{FieldResult, &a.result, &b.result, normalise.Result},
	} {
		if !f.a.empty() || !f.b.empty() {
			list = append(list, compareContent(f.field, f.a, f.b, n, f.kind))
		}
	}
	for _, f := range []struct {
		field Field
		a, b  string
	}{{FieldModel, a.model, b.model}, {FieldStatus, a.status, b.status}} {
		if f.a != f.b && r.a != nil && r.b != nil {
			list = append(list,
				FieldDiff{Field: f.field, A: f.a, B: f.b, Words: []difference.Piece{}, Paths: []difference.Change{}})
		}
	}
	return list
}

func compareContent(field Field, a, b *content, n *normalise.Normaliser, kind normalise.Kind) FieldDiff {
	d := FieldDiff{
		Field: field, Same: a.norm == b.norm, A: a.text, B: b.text, Cut: a.digest != "" || b.digest != "",
		Words: []difference.Piece{}, Paths: []difference.Change{},
	}
	if d.Same || a.empty() || b.empty() {
		return d
	}
	if a.json && b.json && !d.Cut {
		x, okA := normalise.Parse(a.text)
		y, okB := normalise.Parse(b.text)
		if okA && okB {
			d.Paths, d.More = difference.Paths(x, y, n, kind, changesMost)
			return d
		}
	}
	if len(a.text) > wordsBytes || len(b.text) > wordsBytes {
		d.Cut = true
	}
	d.Words = difference.Words(difference.Clip(a.text, wordsBytes), difference.Clip(b.text, wordsBytes), n, kind)
	return d
}
