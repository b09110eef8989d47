package otlpwire

import "encoding/json"

type object = map[string]json.RawMessage

// names are the names of the arrays of a request: of groups, scopes and items.
type names [3]string

func (e *Export) names() names {
	if e.Signal == Logs {
		return names{"resourceLogs", "scopeLogs", "logRecords"}
	}
	return names{"resourceSpans", "scopeSpans", "spans"}
}

// texts is a request, a group or a scope in JSON with what it lists.
type texts struct {
	object object
	groups []texts           // of a request its groups, of a group its scopes
	items  []json.RawMessage // of a scope
}

// read reads the arrays of a request. Other numbers than those of e are an error: an array is there
// twice.
func (e *Export) read(data []byte) (whole texts, err error) {
	of := e.names()
	if err := json.Unmarshal(data, &whole.object); err != nil {
		return whole, malformed(err)
	}
	groups, err := elements(whole.object[of[0]])
	if err != nil {
		return whole, err
	}
	if len(groups) != len(e.Groups) {
		return whole, ErrMalformed
	}
	for i := range groups {
		o, scopes, err := listed(groups[i], of[1], len(e.Groups[i].Scopes))
		if err != nil {
			return whole, err
		}
		g := texts{object: o}
		for k := range scopes {
			o, items, err := listed(scopes[k], of[2], len(e.Groups[i].Scopes[k].Items))
			if err != nil {
				return whole, err
			}
			g.groups = append(g.groups, texts{object: o, items: items})
		}
		whole.groups = append(whole.groups, g)
	}
	return whole, nil
}

func (e *Export) divideJSON(data []byte, n, limit int, part func(item *Item) int) ([][]byte, error) {
	whole, err := e.read(data)
	if err != nil {
		return nil, err
	}
	if size := e.dividedSizeJSON(&whole, part); size > limit {
		return nil, &GrowthError{size, limit}
	}
	of, all := e.names(), lists{}
	for i := range whole.groups {
		g, inGroup := &whole.groups[i], lists{}
		for k := range g.groups {
			s, inScope := &g.groups[k], lists{}
			for m := range s.items {
				inScope.add(part(&e.Groups[i].Scopes[k].Items[m]), s.items[m])
			}
			inScope.each(func(at int, list []json.RawMessage) { inGroup.add(at, with(s.object, of[2], list)) })
		}
		inGroup.each(func(at int, list []json.RawMessage) { all.add(at, with(g.object, of[1], list)) })
	}
	out := make([][]byte, n)
	all.each(func(at int, list []json.RawMessage) { out[at] = with(whole.object, of[0], list) })
	return out, nil
}

// dividedSizeJSON returns how many bytes the parts of a request have in all, with one comma for each
// element.
func (e *Export) dividedSizeJSON(whole *texts, part func(item *Item) int) (total int) {
	of, all := e.names(), map[int]int{} // bytes by the index of a part
	for i := range whole.groups {
		g, inGroup := &whole.groups[i], map[int]int{}
		for k := range g.groups {
			s, inScope := &g.groups[k], map[int]int{}
			for m := range s.items {
				inScope[part(&e.Groups[i].Scopes[k].Items[m])] += len(s.items[m]) + 1
			}
			rest := len(with(s.object, of[2], nil)) + 1
			for at, size := range inScope {
				inGroup[at] += rest + size
			}
		}
		rest := len(with(g.object, of[1], nil)) + 1
		for at, size := range inGroup {
			all[at] += rest + size
		}
	}
	rest := len(with(whole.object, of[0], nil))
	for _, size := range all {
		total += rest + size
	}
	return total
}
