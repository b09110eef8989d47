package difference

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode"

	"tapedeck/query/compare/normalise"
)

// Change is a value of a JSON text that differs. A is null where it was added, B where it was
// removed.
type Change struct {
	Path string  `json:"path"` // such as $.files[0].name
	A    *string `json:"a"`    // as JSON, cut after ChangeBytes
	B    *string `json:"b"`
}

// ChangeBytes bounds the value of a change.
const ChangeBytes = 2 << 10

// Paths returns what differs between two JSON values that normalise.Parse returned, at most so
// many changes, and whether there are more. Members of objects are in order of their names.
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

// deepest is how deep values are entered: each level compares all that is below it.
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

// whole is a value that is not entered.
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

// arrays compares elements by their places, after those that are equal at both ends.
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

// member returns a member's place in a path.
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
	text, _ := json.Marshal(value) // what was read from JSON never fails
	s := Clip(string(text), ChangeBytes)
	return &s
}

// Clip cuts a text after so many bytes, between two characters.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}
