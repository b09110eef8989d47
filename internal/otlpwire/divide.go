package otlpwire

import (
	"encoding/json"

	"google.golang.org/protobuf/encoding/protowire"
)

// Divide divides a request into n requests of the same encoding. e is what Parse read from data, and
// part returns the index of the request in which an item is. The bytes of the items, and of their
// resources and scopes, are those of data; only what lists them is written anew. A group or a scope
// is in each request that has an item of it. A request without items is nil.
func (e *Export) Divide(data []byte, n int, part func(item *Item) int) ([][]byte, error) {
	if e.JSON {
		return e.divideJSON(data, n, part)
	}
	out := make([][]byte, n)
	for i := range e.Groups {
		g := &e.Groups[i]
		scopes := parts{}
		for k := range g.Scopes {
			s := &g.Scopes[k]
			items := parts{}
			for m := range s.Items {
				items.add(part(&s.Items[m]), s.Items[m].raw)
			}
			for _, at := range items.order {
				scopes.add(at, appendMessage(nil, 2, s.rest, items.of[at]))
			}
		}
		for _, at := range scopes.order {
			out[at] = appendMessage(out[at], 1, g.rest, scopes.of[at])
		}
	}
	return out, nil
}

// parts has bytes by the index of a request, and the indexes in the order of their first bytes.
type parts struct {
	of    map[int][]byte
	order []int
}

func (p *parts) add(at int, b []byte) {
	if p.of == nil {
		p.of = map[int][]byte{}
	}
	before, known := p.of[at]
	if !known {
		p.order = append(p.order, at)
	}
	p.of[at] = append(before, b...)
}

// appendMessage appends a field whose content is rest, then more.
func appendMessage(to []byte, num protowire.Number, rest, more []byte) []byte {
	to = protowire.AppendTag(to, num, protowire.BytesType)
	to = protowire.AppendVarint(to, uint64(len(rest)+len(more)))
	return append(append(to, rest...), more...)
}

type object = map[string]json.RawMessage

// names are the names of the arrays of a request: of groups, scopes and items.
type names [3]string

func (e *Export) names() names {
	if e.Signal == Logs {
		return names{"resourceLogs", "scopeLogs", "logRecords"}
	}
	return names{"resourceSpans", "scopeSpans", "spans"}
}

func (e *Export) divideJSON(data []byte, n int, part func(item *Item) int) ([][]byte, error) {
	of := e.names()
	var whole object
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, malformed(err)
	}
	groups, err := elements(whole[of[0]])
	if err != nil {
		return nil, err
	}
	if len(groups) != len(e.Groups) { // a member is there twice
		return nil, ErrMalformed
	}
	all := lists{}
	for i := range groups {
		g, scopes, err := listed(groups[i], of[1], len(e.Groups[i].Scopes))
		if err != nil {
			return nil, err
		}
		inGroup := lists{}
		for k := range scopes {
			s, items, err := listed(scopes[k], of[2], len(e.Groups[i].Scopes[k].Items))
			if err != nil {
				return nil, err
			}
			inScope := lists{}
			for m := range items {
				inScope.add(part(&e.Groups[i].Scopes[k].Items[m]), items[m])
			}
			inScope.each(func(at int, list []json.RawMessage) { inGroup.add(at, with(s, of[2], list)) })
		}
		inGroup.each(func(at int, list []json.RawMessage) { all.add(at, with(g, of[1], list)) })
	}
	out := make([][]byte, n)
	all.each(func(at int, list []json.RawMessage) { out[at] = with(whole, of[0], list) })
	return out, nil
}
