package difference

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode"

	"tapedeck/query/compare/normalise"
)

// Change is a value in a JSON text that differs. A is null if the value was added, B if it was
// removed.
type Change struct {
	Path string  `json:"path"` // such as $.files[0].name
	A    *string `json:"a"`    // as JSON, cut after ChangeBytes
	B    *string `json:"b"`
}

// ChangeBytes bounds the size of a value in a change.
const ChangeBytes = 2 << 10

// Paths returns the differences between two JSON values of normalise.Parse: at most so many
// changes, and whether there are more. Members of objects are compared in order of their names.
func Paths(a, b any, n *normalise.Normaliser, kind normalise.Kind, most int) ([]Change, bool) {
	p := &paths{n: n, kind: kind, most: most, changes: []Change{}}
	p.value("$", "", a, b)
	return p.changes, p.more
}

type paths struct {
	n       *normalise.Normaliser
	kind    normalise.Kind
	most    int
	changes []Change
	more    bool
	depth   int
}

// deepest is the depth to which values are compared member by member. The bound is needed since
// each level compares everything below it.
const deepest = 32

func (p *paths) value(path, name string, a, b any) {
	if p.more || p.same(name, a, b) {
		return
	}
	if p.depth++; p.depth > deepest {
		a, b = whole{a}, whole{b}
	}
	defer func() { p.depth-- }()
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			p.objects(path, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			p.arrays(path, name, x, y)
			return
		}
	}
	p.add(path, excerpt(a), excerpt(b))
}

// whole is a value that is compared as a whole.
type whole struct{ value any }

func (w whole) MarshalJSON() ([]byte, error) { return json.Marshal(w.value) }

func (p *paths) same(name string, a, b any) bool {
	return p.n.Member(name, a, p.kind) == p.n.Member(name, b, p.kind)
}

func (p *paths) objects(path string, a, b map[string]any) {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		at := path + member(name)
		x, inA := a[name]
		y, inB := b[name]
		switch {
		case !inA:
			p.add(at, nil, excerpt(y))
		case !inB:
			p.add(at, excerpt(x), nil)
		default:
			p.value(at, name, x, y)
		}
	}
}

// arrays compares elements by index, after it has skipped the elements that are equal at both ends.
func (p *paths) arrays(path, name string, a, b []any) {
	from := 0
	for from < len(a) && from < len(b) && p.same(name, a[from], b[from]) {
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && p.same(name, a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	for i := from; i < endA || i < endB; i++ {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= endA:
			p.add(at, nil, excerpt(b[i]))
		case i >= endB:
			p.add(at, excerpt(a[i]), nil)
		default:
			p.value(at, name, a[i], b[i])
		}
	}
}

func (p *paths) add(path string, a, b *string) {
	if len(p.changes) >= p.most {
		p.more = true
		return
	}
	p.changes = append(p.changes, Change{path, a, b})
}

// member returns the part of a path that names a member.
func member(name string) string {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return "[" + strconv.Quote(name) + "]"
		}
	}
	if name == "" {
		return `[""]`
	}
	return "." + name
}

func excerpt(value any) *string {
	text, _ := json.Marshal(value) // a value that was parsed from JSON can be encoded
	s := Clip(string(text), ChangeBytes)
	return &s
}

// Clip cuts a text to a number of bytes, at a character boundary.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}
