package assert

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"tapedeck/ingest/dialect/custom"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
)

// ReadFile reads a file of conditions. The error has the line of each problem.
func ReadFile(path string) (*Conditions, error) {
	d := &document{file: path}
	root, err := d.root()
	if err != nil {
		return nil, commandline.As(err)
	}
	c := &Conditions{}
	d.object(root, "", map[string]field{
		"fails": func(n *yaml.Node, at string) {
			fails := d.yes(n, at)
			c.Fails = &fails
		},
		"duration":    func(n *yaml.Node, at string) { c.Duration = bounds(d, n, at, d.duration) },
		"first_token": func(n *yaml.Node, at string) { c.FirstToken = bounds(d, n, at, d.duration) },
		"longest_gap": func(n *yaml.Node, at string) { c.LongestGap = bounds(d, n, at, d.duration) },
		"silence":     func(n *yaml.Node, at string) { c.Silence = bounds(d, n, at, d.duration) },
		"tokens":      func(n *yaml.Node, at string) { c.Tokens = bounds(d, n, at, d.count) },
		"tool_errors": func(n *yaml.Node, at string) { c.ToolErrors = countBounds(d, n, at) },
		"cost":        func(n *yaml.Node, at string) { c.Cost = d.cost(n, at) },
		"calls": func(n *yaml.Node, at string) {
			d.members(n, at, func(key, value *yaml.Node, below string) {
				c.Calls = append(c.Calls, Calls{key.Value, *countBounds(d, value, below)})
			})
		},
		"order":       func(n *yaml.Node, at string) { c.Order = d.texts(n, at) },
		"exact_order": func(n *yaml.Node, at string) { c.ExactOrder = d.texts(n, at) },
		"texts": func(n *yaml.Node, at string) {
			d.items(n, at, func(n *yaml.Node, at string) { c.Texts = append(c.Texts, d.condition(n, at)) })
		},
		"arguments": func(n *yaml.Node, at string) {
			d.items(n, at, func(n *yaml.Node, at string) { c.Arguments = append(c.Arguments, d.argument(n, at)) })
		},
		"same_steps": func(n *yaml.Node, at string) { c.SameSteps = d.sameSteps(n, at) },
	})
	return c, commandline.As(errors.Join(d.problems...))
}

// bounds reads a mapping with min, max or both.
func bounds[T cmp.Ordered](d *document, n *yaml.Node, at string, read func(*yaml.Node, string) T) *Range[T] {
	r := &Range[T]{}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.wrong(n, at, "this must be a mapping with min, max or both, as {max: …}")
		return r
	}
	bound := func(to **T) field {
		return func(n *yaml.Node, at string) {
			v := read(n, at)
			*to = &v
		}
	}
	d.object(n, at, map[string]field{"min": bound(&r.Min), "max": bound(&r.Max)})
	return r
}

// countBounds reads a count, which means exactly this one, or a mapping with min, max or both.
func countBounds(d *document, n *yaml.Node, at string) *Range[int64] {
	if n.Kind == yaml.ScalarNode {
		return Exactly(d.count(n, at))
	}
	return bounds(d, n, at, d.count)
}

func (d *document) cost(n *yaml.Node, at string) *Cost {
	c := &Cost{}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.wrong(n, at, "this must be a mapping with min, max or both, as {max: 0.25}")
	}
	d.object(n, at, map[string]field{
		"min": func(n *yaml.Node, at string) {
			v := d.amount(n, at)
			c.Min = &v
		},
		"max": func(n *yaml.Node, at string) {
			v := d.amount(n, at)
			c.Max = &v
		},
		"currency": func(n *yaml.Node, at string) { c.Currency = d.text(n, at) },
	})
	return c
}

// condition reads an item of texts.
func (d *document) condition(n *yaml.Node, at string) (t Text) {
	before := len(d.problems)
	d.object(n, at, map[string]field{
		"contains": func(n *yaml.Node, at string) { t.Contains = d.text(n, at) },
		"matches":  func(n *yaml.Node, at string) { t.Matches = d.regexp(n, at) },
		"absent":   func(n *yaml.Node, at string) { t.Absent = d.yes(n, at) },
		"of": func(n *yaml.Node, at string) {
			if t.Assistant = n.Value == "assistant"; !t.Assistant {
				d.wrong(n, at, "this must be assistant, or be left out for any message")
			}
		},
	})
	if len(d.problems) == before && (t.Contains == "") == (t.Matches == nil) {
		d.wrong(n, at, "this must have one of contains and matches")
	}
	return t
}

// argument reads an item of arguments.
func (d *document) argument(n *yaml.Node, at string) (a Argument) {
	before := len(d.problems)
	d.object(n, at, map[string]field{
		"tool": func(n *yaml.Node, at string) { a.Tool = d.text(n, at) },
		"path": func(n *yaml.Node, at string) {
			var err error
			if a.PathText = d.text(n, at); a.PathText == "" {
				return
			}
			if a.Path, err = custom.ParsePath(a.PathText); err != nil {
				d.wrong(n, at, "%v", err)
			}
		},
		"equals": func(n *yaml.Node, at string) {
			v, err := jsonValue(n)
			if a.Equals = &v; err != nil {
				d.wrong(n, at, "this is not a value of JSON: %v", err)
			}
		},
		"contains": func(n *yaml.Node, at string) { a.Contains = d.text(n, at) },
		"matches":  func(n *yaml.Node, at string) { a.Matches = d.regexp(n, at) },
		"call": func(n *yaml.Node, at string) {
			if a.Call = int(d.count(n, at)); a.Call == 0 {
				d.wrong(n, at, "calls are counted from 1")
			}
		},
		"every": func(n *yaml.Node, at string) { a.Every = d.yes(n, at) },
	})
	if len(d.problems) > before {
		return a
	}
	conditions := 0
	for _, set := range []bool{a.Equals != nil, a.Contains != "", a.Matches != nil} {
		if set {
			conditions++
		}
	}
	switch {
	case a.Tool == "" || a.Path == nil:
		d.wrong(n, at, "this must have tool and path")
	case conditions > 1:
		d.wrong(n, at, "this may have one of equals, contains and matches")
	case a.Call > 0 && a.Every:
		d.wrong(n, at, "contradiction: call selects one call, every means all of them")
	}
	return a
}

// jsonValue returns a value of YAML as encoding/json decodes it.
func jsonValue(n *yaml.Node) (v any, err error) {
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	v = nil
	err = json.Unmarshal(text, &v)
	return v, err
}

// sameSteps reads what is compared. A tape file is named relative to the file of conditions.
func (d *document) sameSteps(n *yaml.Node, at string) *SameSteps {
	s := &SameSteps{}
	d.object(n, at, map[string]field{
		"as":     func(n *yaml.Node, at string) { s.As = d.text(n, at) },
		"within": func(n *yaml.Node, at string) { s.Within = int(d.count(n, at)) },
		"words":  func(n *yaml.Node, at string) { s.Words = d.yes(n, at) },
	})
	if s.As == "" {
		d.wrong(n, at, "this must have as: a tape file, or the id of a session")
	}
	if beside := filepath.Join(filepath.Dir(d.file), s.As); s.As != "" && !filepath.IsAbs(s.As) && play.IsTape(beside) {
		s.path = beside
	}
	return s
}
