package langgraph

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// LangChain gives the pieces of an answer the id of the call of its model, and the whole message the
// id of the provider if one of the pieces had it. So one answer may have an id of each kind
// (langchain, "prefer provider-assigned IDs when aggregating message chunks").

// ofCall reports whether an id is that of the call of a model.
func ofCall(id []byte) bool { return len(bare(id)) < len(id) }

// hasID reports whether an answer has a bare id.
func (a *answer) hasID(id []byte) bool {
	if a.id == string(id) {
		return true
	}
	for _, other := range a.also {
		if other == string(id) {
			return true
		}
	}
	return false
}

// underOtherID returns the latest answer of a node whose whole message has not come, which has no id
// of the kind of a new id, and which fits. It gives the answer the id. It returns nil if there is
// none. node is "" if it is not known.
func (d *decoder) underOtherID(id []byte, node string, fits func(*answer) bool) *answer {
	if len(id) == 0 || d.past.Has(bare(id)) {
		return nil
	}
	for i := len(d.answers) - 1; i >= 0; i-- {
		a := d.answers[i]
		if a.id == "" || a.whole || a.ofCall == ofCall(id) || a.node != "" && node != "" && a.node != node || !fits(a) {
			continue
		}
		a.ofCall = true // one of the two ids is
		a.also = append(a.also, string(bare(id)))
		d.note(bare(id))
		return a
	}
	return nil
}

// goesOn reports whether a piece with another id may belong to an answer. The piece with the
// provider's id may come before all others, and then has no text.
func goesOn(id []byte) func(*answer) bool {
	return func(a *answer) bool { return !a.done && (!ofCall(id) || a.span.FirstToken == 0) }
}

// sameUsage reports whether a whole message may be that of an answer: both state the same usage, or
// the answer still grows and states none.
func sameUsage(raw []byte) func(*answer) bool {
	tokens, total, ok := counting.Read(raw)
	return func(a *answer) bool {
		if a.usage == nil || !ok {
			return !a.done
		}
		return a.usage.Tokens == tokens && a.usage.Total == total
	}
}

// nodeOf returns the name of the node in the metadata of a message.
func nodeOf(meta *fastjson.Value) string {
	return string(bytes.Clone(meta.GetStringBytes("langgraph_node")))
}
