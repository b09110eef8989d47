package rule

import (
	"reflect"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	"go.yaml.in/yaml/v3"
)

// time reads a duration within the bounds of rules.
func (d document) time(n *yaml.Node, at string) time.Duration {
	before := len(d.Problems)
	v := d.Duration(n, at)
	if len(d.Problems) == before && (v < leastTime || v > mostTime) {
		d.Wrong(n, at, "this must be a duration from %s to %s", leastTime, mostTime)
	}
	return v
}

// check reports what a rule lacks, and what contradicts itself.
func (d document) check(r *Rule, n *yaml.Node, at string) {
	needs := func(key string) {
		if valueOf(n, key) == nil {
			d.Wrong(n, at, "a rule of the kind %s must have %s", r.Kind, key)
		}
	}
	if r.Name == "" {
		d.Wrong(n, at, "this must have a name")
	}
	switch r.Kind {
	case "":
		d.Wrong(n, at, "this must have a kind")
	case ToolOpen:
		needs("factor")
		needs("floor")
	case Silence:
		needs("after")
	case NoProgress:
		if r.Calls == 0 && r.Refusals == 0 {
			d.Wrong(n, at, "a rule of the kind %s must have calls, refusals or both", r.Kind)
		}
	case ErrorRate:
		needs("percent")
		needs("last")
	case Budget:
		d.checkBudget(r, n, at)
	}
	for _, list := range [][]string{r.Tenants, r.Tools, r.Except} {
		for i, name := range list {
			if slices.Contains(list[:i], name) {
				d.Wrong(n, at, "%q is named twice in one list", name)
			}
		}
	}
	if len(r.Tools) == 0 {
		return
	}
	if !slices.ContainsFunc(r.Tools, r.Of) {
		d.Wrong(n, at, "contradiction: except names all tools of the list tools")
	}
}

// compare reports rules with the name of an earlier one, and rules that alert of the same as an earlier
// one.
func (d document) compare(rules []Rule) {
	for i := range rules {
		for k := range i {
			a, b := rules[k], rules[i]
			at := &yaml.Node{Line: b.line}
			switch {
			case a.Name == b.Name:
				d.Wrong(at, "", "the name %q is that of the rule in line %d", b.Name, a.line)
			case a.sameCondition(b):
				d.Wrong(at, "", "the rule %q alerts of the same as %q in line %d", b.Name, a.Name, a.line)
			}
		}
	}
}

// sameCondition reports whether two rules have the same condition on the same sessions.
func (r Rule) sameCondition(of Rule) bool {
	for _, x := range []*Rule{&r, &of} {
		x.Name, x.PerHour, x.line = "", 0, 0
		for _, list := range []*[]string{&x.Tenants, &x.Tools, &x.Except} {
			*list = slices.Sorted(slices.Values(*list))
		}
	}
	costs := r.Cost.Equal(of.Cost)
	r.Cost, of.Cost = decimal.Zero, decimal.Zero
	return costs && reflect.DeepEqual(r, of)
}
