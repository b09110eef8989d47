// Package redact finds secrets in frames before they are recorded and masks them. It replaces only
// the bytes of secrets: all other bytes of a frame stay unchanged, and JSON stays valid.
//
// A rule consists of keywords and a pattern for the text after a keyword. An Aho-Corasick automaton
// searches for the keywords. A pattern is matched only after one of its keywords.
//
// A text that arrives in pieces is treated as one text: strings at the same place in successive
// frames of one direction continue each other. A Masker holds a frame back while a secret that
// begins in it may not be complete, within bounds of time and size.
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
	paths     map[uint64]*rule // by path: rules for texts that are secrets by their place
	members   *rule            // its keywords are the names of members that are secrets; nil for no rule
}

// Options choose the rules.
type Options struct {
	Personal []string // opt-in rules: "email", "phone", "card"
	Own      []Rule   // the user's rules
	Paths    []Path
	Declared []Declared
}

// Rules returns the rules that are enabled by default.
func Rules() []Rule { return slices.Concat(providers, platforms, credentials, assignments) }

// New compiles the default rules and the rules that the options add.
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

// Default returns the engine with the default rules.
var Default = sync.OnceValue(func() *Engine {
	e, err := New(Options{})
	if err != nil {
		panic(err) // the rules are part of the program
	}
	return e
})

// Off is the engine without rules. It masks nothing.
var Off = &Engine{}

// Enabled reports whether the engine has rules.
func (e *Engine) Enabled() bool { return len(e.rules) > 0 || len(e.paths) > 0 }
