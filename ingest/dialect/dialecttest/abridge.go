package dialecttest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Abridge writes the outcome of a captured stream as Render does, but shorter: it counts frames
// by type, counts chunks, shows long texts by their ends and a hash, and leaves out the sources'
// own usage. The result shows all facts without repeating the capture.
func Abridge(o *Outcome) string {
	r := newRenderer(nil)
	r.abridged = true
	r.census(o)
	r.facts(o)
	return r.b.String()
}

// census counts the frames by type and lists the names in their envelopes.
func (r *renderer) census(o *Outcome) {
	type kind struct{ direction, typ, flags string }
	var order []kind
	counts := map[kind]int{}
	var lost uint64
	names := map[string][]string{}
	for i := range o.Frames {
		f := &o.Frames[i]
		k := kind{f.Direction.String(), cmp.Or(f.Type, "-"), f.Flags.String()}
		if counts[k]++; counts[k] == 1 {
			order = append(order, k)
		}
		lost += o.Lost[i]
		for _, n := range []struct{ name, value string }{
			{"session", f.Session}, {"run", f.Run}, {"node", f.Node}, {"agent", f.Agent},
		} {
			if n.value != "" && !slices.Contains(names[n.name], n.value) {
				names[n.name] = append(names[n.name], n.value)
			}
		}
	}
	r.line("frames " + strconv.Itoa(len(o.Frames)))
	for _, k := range order {
		flags := ""
		if k.flags != "" {
			flags = "[" + k.flags + "]"
		}
		r.line("  "+strconv.Itoa(counts[k]), strings.TrimSuffix(k.direction, "eive"), quoted(k.typ), flags)
	}
	if lost > 0 {
		r.line("lost", strconv.FormatUint(lost, 10))
	}
	for _, name := range []string{"session", "run", "node", "agent"} {
		if len(names[name]) > 0 {
			r.line(name+"s", strings.Join(names[name], " "))
		}
	}
}

// Lengths of texts, bytes. Texts up to shownWhole are shown whole, longer ones by shownEnds at
// each end.
const (
	shownWhole = 60
	shownEnds  = 20
)

// brief returns the ends of a long text, its length and the beginning of its hash.
func (r *renderer) brief(text string) string {
	if !r.abridged || len(text) <= shownWhole {
		return text
	}
	first, last := shownEnds, len(text)-shownEnds
	for !utf8.RuneStart(text[first]) {
		first--
	}
	for last < len(text) && !utf8.RuneStart(text[last]) {
		last++
	}
	return fmt.Sprintf("%s…%s (%d bytes, %.4x)", text[:first], text[last:], len(text), sha256.Sum256([]byte(text)))
}
