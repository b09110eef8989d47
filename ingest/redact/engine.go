// Package redact finds secrets in frames before they are recorded and masks them. It masks
// the bytes of the secrets alone: everything else in a frame stays as it is, and JSON stays
// valid.
//
// Rules are data: a keyword, and a pattern for what follows it. An Aho-Corasick automaton
// looks for the keywords; only behind one of them a pattern is matched.
//
// A text that arrives in pieces is one text: the strings at the same place of successive
// frames of a direction continue each other. Masker holds a frame back while a secret may
// begin in it whose end has not arrived, within bounds.
package redact

import (
	"fmt"
	"slices"
	"sync"
)

// Engine is a compiled set of rules. It is safe for use by several goroutines.
type Engine struct {
	automaton *automaton
	prefilter *prefilter
	rules     []*rule
	paths     map[uint64]*rule // of texts that are secrets by their place
	members   *rule            // whose keywords are the names of members that are secrets; nil for none
}

// Options choose the rules.
type Options struct {
	Personal []string // opt-in rules: "email", "phone", "card"
	Own      []Rule   // rules of the user
	Paths    []Path
	Declared []Declared
}

// Rules returns the rules that are on by default.
func Rules() []Rule { return slices.Concat(providers, platforms, credentials, assignments) }

// New compiles the rules for credentials and the rules of the options.
func New(o Options) (*Engine, error) {
	e := &Engine{}
	add := func(r *Rule) error {
		c, err := r.compile()
		if err == nil {
			e.rules = append(e.rules, c)
			if r.ID == assignedSecretID {
				e.members = c
			}
		}
		return err
	}
	all := slices.Concat(Rules(), o.Own)
	for _, name := range o.Personal {
		i := slices.IndexFunc(personal, func(r Rule) bool { return r.ID == name })
		if i < 0 {
			return nil, fmt.Errorf("no rule is named %q: it is one of email, phone and card", name)
		}
		all = append(all, personal[i])
	}
	for i := range all {
		if err := add(&all[i]); err != nil {
			return nil, err
		}
	}
	for _, d := range o.Declared {
		rules, err := d.rules()
		if err != nil {
			return nil, err
		}
		e.rules = append(e.rules, rules...)
	}
	e.addPaths(o.Paths)
	e.automaton = newAutomaton(e.rules)
	e.prefilter = newPrefilter(e.automaton, e.rules)
	return e, nil
}

// Default returns the engine with the rules for credentials.
var Default = sync.OnceValue(func() *Engine {
	e, err := New(Options{})
	if err != nil {
		panic(err) // the rules are part of the program
	}
	return e
})

// Off is the engine without rules: it masks nothing.
var Off = &Engine{}

// Enabled reports whether the engine has rules.
func (e *Engine) Enabled() bool { return len(e.rules) > 0 || len(e.paths) > 0 }
