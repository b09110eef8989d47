package otlpwire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// GrowthError reports a request whose parts would have more bytes than they may.
type GrowthError struct{ Size, Limit int } // bytes of all parts

func (e *GrowthError) Error() string {
	return fmt.Sprintf("divided, the request has %d bytes, more than %d", e.Size, e.Limit)
}

// Divide divides a request into n requests of the same encoding. e is what Parse read from data, and
// part returns the index of the request in which an item is. The bytes of the items, and of their
// resources and scopes, are those of data; only what lists them is written anew. A group or a scope
// is in each request that has an item of it. A request without items is nil. If the requests would
// have more than limit bytes in all, the error is a *GrowthError and none is made.
func (e *Export) Divide(data []byte, n, limit int, part func(item *Item) int) ([][]byte, error) {
	if e.JSON {
		return e.divideJSON(data, n, limit, part)
	}
	if size := e.dividedSize(part); size > limit {
		return nil, &GrowthError{size, limit}
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

// dividedSize returns how many bytes the parts of a binary request have in all.
func (e *Export) dividedSize(part func(item *Item) int) (total int) {
	for i := range e.Groups {
		g := &e.Groups[i]
		scopes := map[int]int{} // bytes by the index of a part
		for k := range g.Scopes {
			s := &g.Scopes[k]
			items := map[int]int{}
			for m := range s.Items {
				items[part(&s.Items[m])] += len(s.Items[m].raw)
			}
			for at, size := range items {
				scopes[at] += protowire.SizeTag(2) + protowire.SizeBytes(len(s.rest)+size)
			}
		}
		for _, size := range scopes {
			total += protowire.SizeTag(1) + protowire.SizeBytes(len(g.rest)+size)
		}
	}
	return total
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
