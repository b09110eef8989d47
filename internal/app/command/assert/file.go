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
	"tapedeck/internal/yamlfile"
)

// document adds the shapes of conditions to a file.
type document struct{ *yamlfile.Document }

// ReadFile reads a file of conditions. The error has the line of each problem.
func ReadFile(path string) (*Conditions, error) {
	d := document{&yamlfile.Document{File: path}}
	root, err := d.Root()
	if err != nil {
		return nil, commandline.As(err)
	}
	c := &Conditions{}
	d.Object(root, "", map[string]yamlfile.Field{
		"fails": func(n *yaml.Node, at string) {
			fails := d.Yes(n, at)
			c.Fails = &fails
		},
		"duration":    func(n *yaml.Node, at string) { c.Duration = bounds(d, n, at, d.Duration) },
		"first_token": func(n *yaml.Node, at string) { c.FirstToken = bounds(d, n, at, d.Duration) },
		"longest_gap": func(n *yaml.Node, at string) { c.LongestGap = bounds(d, n, at, d.Duration) },
		"silence":     func(n *yaml.Node, at string) { c.Silence = bounds(d, n, at, d.Duration) },
		"tokens":      func(n *yaml.Node, at string) { c.Tokens = bounds(d, n, at, d.Count) },
		"tool_errors": func(n *yaml.Node, at string) { c.ToolErrors = countBounds(d, n, at) },
		"cost":        func(n *yaml.Node, at string) { c.Cost = d.cost(n, at) },
		"calls": func(n *yaml.Node, at string) {
			d.Members(n, at, func(key, value *yaml.Node, below string) {
				c.Calls = append(c.Calls, Calls{key.Value, *countBounds(d, value, below)})
			})
		},
		"order":       func(n *yaml.Node, at string) { c.Order = d.Texts(n, at) },
		"exact_order": func(n *yaml.Node, at string) { c.ExactOrder = d.Texts(n, at) },
		"texts": func(n *yaml.Node, at string) {
			d.Items(n, at, func(n *yaml.Node, at string) { c.Texts = append(c.Texts, d.condition(n, at)) })
		},
		"arguments": func(n *yaml.Node, at string) {
			d.Items(n, at, func(n *yaml.Node, at string) { c.Arguments = append(c.Arguments, d.argument(n, at)) })
		},
		"same_steps": func(n *yaml.Node, at string) { c.SameSteps = d.sameSteps(n, at) },
	})
	return c, commandline.As(errors.Join(d.Problems...))
}

// bounds reads a mapping with min, max or both.
func bounds[T cmp.Ordered](d document, n *yaml.Node, at string, read func(*yaml.Node, string) T) *Range[T] {
	r := &Range[T]{}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		d.Wrong(n, at, "this must be a mapping with min, max or both, as {max: …}")
		return r
	}
	bound := func(to **T) yamlfile.Field {
		return func(n *yaml.Node, at string) {
			v := read(n, at)
			*to = &v
		}
	}
	d.Object(n, at, map[string]yamlfile.Field{"min": bound(&r.Min), "max": bound(&r.Max)})
	return r
}

// countBounds reads a count, which means exactly this one, or a mapping with min, max or both.
func countBounds(d document, n *yaml.Node, at string) *Range[int64] {
	if n.Kind == yaml.ScalarNode {
		return Exactly(d.Count(n, at))
	}
	return bounds(d, n, at, d.Count)
}

func (d document) cost(n *yaml.Node, at string) *Cost {
	c := &Cost{}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.Wrong(n, at, "this must be a mapping with min, max or both, as {max: 0.25}")
	}
	d.Object(n, at, map[string]yamlfile.Field{
		"min": func(n *yaml.Node, at string) {
			v := d.Amount(n, at)
			c.Min = &v
		},
		"max": func(n *yaml.Node, at string) {
			v := d.Amount(n, at)
			c.Max = &v
		},
		"currency": func(n *yaml.Node, at string) { c.Currency = d.Text(n, at) },
	})
	return c
}

// condition reads an item of texts.
func (d document) condition(n *yaml.Node, at string) (t Text) {
	before := len(d.Problems)
	d.Object(n, at, map[string]yamlfile.Field{
		"contains": func(n *yaml.Node, at string) { t.Contains = d.Text(n, at) },
		"matches":  func(n *yaml.Node, at string) { t.Matches = d.Regexp(n, at) },
		"absent":   func(n *yaml.Node, at string) { t.Absent = d.Yes(n, at) },
		"of": func(n *yaml.Node, at string) {
			if t.Assistant = n.Value == "assistant"; !t.Assistant {
				d.Wrong(n, at, "this must be assistant, or be left out for any message")
			}
		},
	})
	if len(d.Problems) == before && (t.Contains == "") == (t.Matches == nil) {
		d.Wrong(n, at, "this must have one of contains and matches")
	}
	return t
}

// argument reads an item of arguments.
func (d document) argument(n *yaml.Node, at string) (a Argument) {
	before := len(d.Problems)
	d.Object(n, at, map[string]yamlfile.Field{
		"tool": func(n *yaml.Node, at string) { a.Tool = d.Text(n, at) },
		"path": func(n *yaml.Node, at string) {
			var err error
			if a.PathText = d.Text(n, at); a.PathText == "" {
				return
			}
			if a.Path, err = custom.ParsePath(a.PathText); err != nil {
				d.Wrong(n, at, "%v", err)
			}
		},
		"equals": func(n *yaml.Node, at string) {
			v, err := jsonValue(n)
			if a.Equals = &v; err != nil {
				d.Wrong(n, at, "this is not a value of JSON: %v", err)
			}
		},
		"contains": func(n *yaml.Node, at string) { a.Contains = d.Text(n, at) },
		"matches":  func(n *yaml.Node, at string) { a.Matches = d.Regexp(n, at) },
		"call": func(n *yaml.Node, at string) {
			if a.Call = int(d.Count(n, at)); a.Call == 0 {
				d.Wrong(n, at, "calls are counted from 1")
			}
		},
		"every": func(n *yaml.Node, at string) { a.Every = d.Yes(n, at) },
	})
	if len(d.Problems) > before {
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
		d.Wrong(n, at, "this must have tool and path")
	case conditions > 1:
		d.Wrong(n, at, "this may have one of equals, contains and matches")
	case a.Call > 0 && a.Every:
		d.Wrong(n, at, "contradiction: call selects one call, every means all of them")
	}
	return a
}

// jsonValue returns a value of YAML as JSON has it, with numbers as json.Number. A date without quotes
// is text: JSON has no dates. It refuses null, since a condition takes null for a missing value.
func jsonValue(n *yaml.Node) (v any, err error) {
	datesAsText(n)
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errors.New("null is no value that a call can have")
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return decodeJSON(text)
}

// datesAsText makes the dates of a value text.
func datesAsText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, part := range n.Content {
		datesAsText(part)
	}
}

// sameSteps reads what is compared. A tape file is named relative to the file of conditions.
func (d document) sameSteps(n *yaml.Node, at string) *SameSteps {
	s := &SameSteps{}
	d.Object(n, at, map[string]yamlfile.Field{
		"as":     func(n *yaml.Node, at string) { s.As = d.Text(n, at) },
		"within": func(n *yaml.Node, at string) { s.Within = int(d.Count(n, at)) },
		"words":  func(n *yaml.Node, at string) { s.Words = d.Yes(n, at) },
	})
	if s.As == "" {
		d.Wrong(n, at, "this must have as: a tape file, or the id of a session")
	}
	if beside := filepath.Join(filepath.Dir(d.File), s.As); s.As != "" && !filepath.IsAbs(s.As) && play.IsTape(beside) {
		s.path = beside
	}
	return s
}
