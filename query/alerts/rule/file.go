package rule

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"tapedeck/internal/yamlfile"
)

// document reads the rules of a file.
type document struct{ *yamlfile.Document }

// ReadFile reads a file of rules. The error has the line of each problem.
func ReadFile(path string) ([]Rule, error) {
	d := document{&yamlfile.Document{File: path}}
	root, err := d.Root()
	if err != nil {
		return nil, err
	}
	var rules []Rule
	found := false
	d.Object(root, "", map[string]yamlfile.Field{
		"rules": func(n *yaml.Node, at string) {
			found = true
			if len(n.Content) > MostRules {
				d.Wrong(n, at, "these are %d rules; a file has %d at most", len(n.Content), MostRules)
				return
			}
			d.Items(n, at, func(n *yaml.Node, at string) {
				if r := d.rule(n, at); r != nil {
					rules = append(rules, *r)
				}
			})
		},
	})
	if !found && len(d.Problems) == 0 {
		d.Wrong(root, "", "there is no list rules")
	}
	if len(d.Problems) == 0 {
		d.compare(rules)
	}
	return rules, errors.Join(d.Problems...)
}

// keys are the keys of each kind of rule besides those that all rules have.
var keys = map[Kind][]string{
	ToolOpen:   {"factor", "floor", "tools", "except"},
	Silence:    {"after"},
	NoProgress: {"calls", "refusals", "tools", "except"},
	ErrorRate:  {"percent", "last", "tools", "except"},
	Budget:     {"tokens", "cost", "currency", "per", "period", "zone", "forecast"},
}

// rule reads one rule; nil if it has a problem.
func (d document) rule(n *yaml.Node, at string) *Rule {
	before := len(d.Problems)
	r := &Rule{PerHour: DefaultPerHour, line: n.Line}
	fields := d.fields(r)
	if kind := valueOf(n, "kind"); kind != nil {
		of := map[string]yamlfile.Field{}
		for _, name := range append([]string{"name", "kind", "tenants", "max_per_hour"}, keys[Kind(kind.Value)]...) {
			of[name] = fields[name]
		}
		if keys[Kind(kind.Value)] != nil {
			fields = of
		}
	}
	d.Object(n, at, fields)
	if len(d.Problems) == before {
		d.check(r, n, at)
	}
	if len(d.Problems) > before {
		return nil
	}
	return r
}

// valueOf returns the value of a key of a mapping; nil if it has none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

var (
	name     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// fields returns the readers of all keys.
func (d document) fields(r *Rule) map[string]yamlfile.Field {
	return map[string]yamlfile.Field{
		"name": func(n *yaml.Node, at string) {
			if r.Name = d.Text(n, at); r.Name != "" && !name.MatchString(r.Name) {
				d.Wrong(n, at, "a name has 1 to 64 letters, digits, dots, hyphens and underscores")
			}
		},
		"kind": func(n *yaml.Node, at string) {
			if r.Kind = Kind(n.Value); keys[r.Kind] == nil {
				var known []string
				for _, k := range Kinds {
					known = append(known, string(k))
				}
				d.Wrong(n, at, "there is no kind %q; known kinds: %s", n.Value, strings.Join(known, ", "))
			}
		},
		"tenants":      func(n *yaml.Node, at string) { r.Tenants = d.Texts(n, at) },
		"tools":        func(n *yaml.Node, at string) { r.Tools = d.Texts(n, at) },
		"except":       func(n *yaml.Node, at string) { r.Except = d.Texts(n, at) },
		"max_per_hour": func(n *yaml.Node, at string) { r.PerHour = d.within(n, at, 1, MostPerHour) },
		"factor":       func(n *yaml.Node, at string) { r.Factor = d.number(n, at, 1, mostFactor) },
		"floor":        func(n *yaml.Node, at string) { r.Floor = d.time(n, at) },
		"after":        func(n *yaml.Node, at string) { r.After = d.time(n, at) },
		"calls":        func(n *yaml.Node, at string) { r.Calls = d.within(n, at, 2, MostCalls) },
		"refusals":     func(n *yaml.Node, at string) { r.Refusals = d.within(n, at, 2, MostCalls) },
		"last":         func(n *yaml.Node, at string) { r.Last = d.within(n, at, 2, MostCalls) },
		"percent":      func(n *yaml.Node, at string) { r.Percent = d.number(n, at, 1, 100) },
		"tokens": func(n *yaml.Node, at string) {
			if r.Tokens = d.Count(n, at); r.Tokens == 0 {
				d.Wrong(n, at, "a budget of 0 is exceeded by any use; write at least 1")
			}
		},
		"cost": func(n *yaml.Node, at string) {
			if r.Cost = d.Amount(n, at); !r.Cost.IsPositive() {
				d.Wrong(n, at, "a budget of 0 is exceeded by any use; write more than 0")
			}
		},
		"currency": func(n *yaml.Node, at string) {
			if r.Currency = n.Value; !currency.MatchString(n.Value) {
				d.Wrong(n, at, "this must be a currency such as USD")
			}
		},
		"per":      func(n *yaml.Node, at string) { r.Per = d.per(n, at) },
		"period":   func(n *yaml.Node, at string) { r.Period = d.period(n, at) },
		"zone":     func(n *yaml.Node, at string) { r.Zone = d.zone(n, at) },
		"forecast": func(n *yaml.Node, at string) { r.Forecast = d.Yes(n, at) },
	}
}

// within reads a whole number from least to most.
func (d document) within(n *yaml.Node, at string, least, most int64) int {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || v < least || v > most {
		d.Wrong(n, at, "this must be a whole number from %d to %d", least, most)
	}
	return int(v)
}

// number reads a number from least to most.
func (d document) number(n *yaml.Node, at string, least, most float64) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	if n.Kind != yaml.ScalarNode || err != nil || !(v >= least && v <= most) {
		d.Wrong(n, at, "this must be a number from %v to %v", least, most)
	}
	return v
}
