package custom

import (
	"fmt"
	"slices"
	"strings"

	"tapedeck/ingest/dialect"
)

// Missing lists the keys of the rules that apply to a frame and whose paths have no value in it,
// for an author who looks for missing facts. It leaves out rules of which some paths have values.
func (m *Mapping) Missing(in *dialect.Input) (keys []string) {
	for i := range m.rules {
		r := &m.rules[i]
		if !r.applies(in) {
			continue
		}
		s := source{in: in}
		if r.each == nil {
			if r.when.hold(&s) {
				keys = append(keys, r.missing(i, &s)...)
			}
			continue
		}
		found, held := false, false
		r.each.each(&s, func(key, element []byte) {
			inner := source{in: in, element: element, key: key}
			found = true
			if !r.when.hold(&inner) {
				return
			}
			held = true
			for _, key := range r.missing(i, &inner) {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		})
		if found && !held && r.when.hold(&s) {
			keys = append(keys, r.atFrame(i))
		}
	}
	return keys
}

// atFrame names the conditions of a rule with each that hold in the frame and in none of the
// elements, where the rule evaluates them.
func (r *rule) atFrame(number int) string {
	var here, there []string
	for i := range r.when {
		if at := &r.when[i].at; at.field == inJSON && !strings.HasPrefix(at.text, "$") {
			here, there = append(here, at.text), append(there, "$."+at.text)
		}
	}
	return fmt.Sprintf("rules[%d].when (%s: of an element; the frame's is %s)", number, strings.Join(here, ", "), strings.Join(there, ", "))
}

// missing lists the keys of one rule, each with its path.
func (r *rule) missing(number int, s *source) (keys []string) {
	look := func(key string, alternatives ...places) {
		var paths []string
		for _, ps := range alternatives {
			if ps.text(s) != nil {
				return
			}
			for i := range ps {
				paths = append(paths, ps[i].text)
			}
		}
		if len(paths) > 0 {
			keys = append(keys, fmt.Sprintf("rules[%d].%s (%s)", number, key, strings.Join(paths, ", ")))
		}
	}
	look("user", r.user.path)
	look("system", r.system)
	if r.text != nil {
		look("text", r.text.path)
	}
	if r.thinking != nil {
		look("thinking", r.thinking.path)
	}
	if t := r.toolCall; t != nil {
		look("tool_call", t.id, t.name, t.arguments, t.delta)
	}
	if t := r.wait; t != nil {
		look("tool_wait", t.id)
	}
	if t := r.subagent; t != nil {
		look("subagent", t.id)
	}
	if t := r.result; t != nil {
		look("tool_result", t.id, t.name, t.output, t.err)
	}
	if u := r.usage; u != nil {
		look("usage", u.input, u.output)
	}
	if l := r.limit; l != nil {
		look("limit", l.used, l.max, l.usedPercent, l.balance, l.unlimited, l.status, l.resets)
	}
	look("error", r.err)
	return keys
}
