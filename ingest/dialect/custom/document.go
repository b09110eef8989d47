package custom

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxProblems bounds the errors that are reported for one file.
const maxProblems = 20

// document reads a YAML file and collects its problems.
type document struct {
	file     string
	problems []error
}

// wrong reports a problem with the file, the line and the key.
func (d *document) wrong(n *yaml.Node, at, format string, args ...any) {
	if len(d.problems) > maxProblems {
		return
	}
	if len(d.problems) == maxProblems {
		d.problems = append(d.problems, errors.New("further problems are not listed"))
		return
	}
	what := fmt.Sprintf(format, args...)
	if at != "" {
		what = at + ": " + what
	}
	d.problems = append(d.problems, fmt.Errorf("%s:%d: %s", d.file, n.Line, what))
}

// object is a mapping of the file.
type object struct {
	doc   *document
	node  *yaml.Node
	at    string // the path of its keys
	known []string
}

// object reads a mapping with the known keys. ok is false for any other node.
func (d *document) object(n *yaml.Node, at string, known ...string) (o object, ok bool) {
	o = object{d, n, at, known}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, at, "this must be a mapping with the keys %s", strings.Join(known, ", "))
		return o, false
	}
	o.members(func(key, _ *yaml.Node) {
		if !slices.Contains(known, key.Value) {
			d.wrong(key, at, "unknown key %q%s", key.Value, suggestion(key.Value, known))
		}
	})
	return o, true
}

// suggestion returns a hint with the nearest known key.
func suggestion(key string, known []string) string {
	if best := nearest(key, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; known keys: " + strings.Join(known, ", ")
}

// members calls see with each key once, and reports repeated keys.
func (o *object) members(see func(key, value *yaml.Node)) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		key, value := o.node.Content[i], o.node.Content[i+1]
		if seen[key.Value] {
			o.doc.wrong(key, o.at, "the key %q is here twice", key.Value)
			continue
		}
		seen[key.Value] = true
		see(key, value)
	}
}

// get returns the value of a key, or nil.
func (o *object) get(key string) (found *yaml.Node) {
	for i := 0; i+1 < len(o.node.Content); i += 2 {
		if o.node.Content[i].Value == key {
			return o.node.Content[i+1]
		}
	}
	return nil
}

// below returns the full name of a key.
func (o *object) below(key string) string {
	if o.at == "" {
		return key
	}
	return o.at + "." + key
}

// text reads a text, or "" if the key is missing.
func (o *object) text(key string) string {
	n := o.get(key)
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		o.doc.wrong(n, o.below(key), "this must be a text")
		return ""
	}
	return n.Value
}

// choice reads one of several texts, or "" if the key is missing or its value is invalid.
func (o *object) choice(key string, of ...string) string {
	n := o.get(key)
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(of, n.Value) {
		o.doc.wrong(n, o.below(key), "%s is not one of %s", show(n), strings.Join(of, ", "))
		return ""
	}
	return n.Value
}

// yes reads true or false. A missing key is false.
func (o *object) yes(key string) bool { return o.choice(key, "true", "false") == "true" }

// places reads a path or a list of paths, or nil if the key is missing.
func (o *object) places(key string) places {
	n := o.get(key)
	if n == nil {
		return nil
	}
	return o.doc.places(n, o.below(key))
}

// maxAlternatives bounds a list of paths.
const maxAlternatives = 16

func (d *document) places(n *yaml.Node, at string) places {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	if len(list) == 0 || len(list) > maxAlternatives {
		d.wrong(n, at, "this must be a path or a list of 1 to %d paths", maxAlternatives)
		return nil
	}
	var ps places
	for _, n := range list {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			d.wrong(n, at, `this must be a path such as result.items[0].text; in braces and brackets of YAML a path with [ must be in quotes`)
			return nil
		}
		p, err := parsePath(n.Value)
		if err != nil {
			d.wrong(n, at, "%v", err)
			return nil
		}
		ps = append(ps, p)
	}
	return ps
}

// show returns a node as text for an error message.
func show(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return strconv.Quote(n.Value)
}

// nearest returns the candidate with the fewest edits from a word, or "" if none is near.
func nearest(word string, candidates []string) (best string) {
	least := max(2, len(word)/3) + 1
	for _, c := range candidates {
		if n := edits(word, c); n < least {
			best, least = c, n
		}
	}
	return best
}

// edits returns the Levenshtein distance of two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}
