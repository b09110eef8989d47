package compare

import (
	"crypto/sha256"
	"io"

	"tapedeck/query/compare/align"
	"tapedeck/query/compare/normalise"
)

// identify normalises the texts of steps and sets the hashes by which they are aligned. The agent
// decides only between steps that are otherwise equal, and only if both sessions name it, since
// recordings of one run may name its agents differently or not at all. shared holds the names that
// both sessions have.
func identify(list []*step, n *normalise.Normaliser, shared map[string]bool) {
	for _, st := range list {
		identify(st.children, n, shared)
		st.arguments.normalise(n, normalise.Arguments)
		for _, c := range []*content{&st.result, &st.text, &st.thinking} {
			c.normalise(n, normalise.Result)
		}
		st.childrenID = hashOf(func(h *hasher) {
			for _, c := range st.children {
				h.hash(c.element.Key)
			}
		})
	}
	calls := callsOf(list)
	for i, st := range list {
		st.element.Loose = hashOf(func(h *hasher) { st.loose(h) })
		st.element.Key = hashOf(func(h *hasher) {
			h.hash(st.element.Loose)
			st.key(h)
			for _, c := range calls[i] {
				h.text(c.name, c.arguments.norm)
			}
		})
		st.element.Exact = hashOf(func(h *hasher) {
			h.hash(st.element.Key)
			h.text(st.status, st.model, st.result.norm, st.text.norm, st.thinking.norm)
			if shared[st.agent] {
				h.text(st.agent)
			}
			for _, c := range st.children {
				h.hash(c.element.Exact)
			}
		})
	}
}

// loose hashes the properties that two steps must share to be paired.
func (st *step) loose(h *hasher) {
	h.text(string(st.kind))
	if st.kind == KindTool || st.kind == KindNode || st.kind == KindMessage {
		h.text(st.name)
	}
}

// key hashes the normalised arguments of a step: for a node the steps inside it, for a model call
// without tool calls its text.
func (st *step) key(h *hasher) {
	switch st.kind {
	case KindTool:
		h.text(st.arguments.norm)
	case KindNode:
		h.hash(st.childrenID)
	case KindEnd:
		h.text(st.status)
	default:
		h.text(st.text.norm)
	}
}

// callsOf returns, for each model call in a list, the tool calls that follow it.
func callsOf(list []*step) map[int][]*step {
	calls := map[int][]*step{}
	last := -1
	for i, st := range list {
		switch {
		case st.kind == KindModel:
			last = i
		case st.kind == KindTool && last >= 0:
			calls[last] = append(calls[last], st)
		}
	}
	return calls
}

// normalise sets the value by which the content is compared: the normalised text, or its hash if
// that is shorter.
func (c *content) normalise(n *normalise.Normaliser, kind normalise.Kind) {
	switch {
	case c.text == "":
		return
	case !c.json || c.digest != "":
		c.norm = n.Text(c.text, kind)
	default:
		var ok bool
		if c.norm, ok = n.JSON(c.text, kind); !ok {
			c.norm = n.Text(c.text, kind)
		}
	}
	if c.digest != "" {
		c.norm += "\x00" + c.digest
	}
	if len(c.norm) > sha256.Size {
		sum := sha256.Sum256([]byte(c.norm))
		c.norm = string(sum[:])
	}
}

type hasher struct{ w io.Writer }

func (h *hasher) text(list ...string) {
	for _, s := range list {
		_, _ = io.WriteString(h.w, s)  // a hash never returns an error
		_, _ = h.w.Write([]byte{0xFF}) // never occurs in UTF-8
	}
}

func (h *hasher) hash(x align.Hash) { _, _ = h.w.Write(x[:]) }

func hashOf(write func(*hasher)) align.Hash {
	sum := sha256.New()
	write(&hasher{sum})
	return align.Hash(sum.Sum(nil)[:len(align.Hash{})])
}
