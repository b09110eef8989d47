package gemini

import (
	"encoding/json"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// pieces assembles arguments that come as values at JSON paths. The text grows with the pieces as
// long as they come in the order of the text. Otherwise the text is written again when all pieces
// have come.
type pieces struct {
	root  node
	last  []*node // the nodes from the root to the value of the latest piece
	count int     // of nodes
	mixed bool    // the pieces do not come in the order of the text
	text  []byte  // scratch
}

// node is a value of the arguments.
type node struct {
	kind  byte     // '{', '[', '"' for a string, 'v' for another value
	names []string // of an object's items
	items []*node
	value []byte // of a string: the text between its quotes
	more  bool   // of a string: more of it follows
}

// holds reports whether the value is an object or an array.
func (n *node) holds() bool { return n.kind == '{' || n.kind == '[' }

// nodeLimit bounds the values of one call's arguments.
const nodeLimit = 8192

// partialArgs reads the pieces of a call's arguments:
// {"jsonPath","stringValue"|"numberValue"|"boolValue"|"nullValue","willContinue"?}.
func (d *decoder) partialArgs(open *openTools, tool *model.Tool, raw []byte) {
	if open.pieces == nil {
		open.pieces = &pieces{root: node{kind: '{'}, count: 1}
	}
	dialect.RawElements(raw, func(piece []byte) bool {
		p := open.pieces
		p.text = p.text[:0]
		if !p.add(piece) {
			d.Unknown()
		} else if !p.mixed {
			d.AppendArguments(tool, p.text)
		}
		return true
	})
}

// endCall completes a call's arguments: the client executes it.
func (d *decoder) endCall(open *openTools) {
	tool, p := open.call, open.pieces
	open.call, open.pieces = nil, nil
	if tool == nil {
		return
	}
	switch {
	case p == nil || p.count == 1: // whole arguments, or none
	case p.mixed:
		d.SetArguments(tool, p.root.appendTo(nil))
	default:
		p.text = p.text[:0]
		p.close(0)
		d.AppendArguments(tool, p.text)
	}
	d.FinishArguments(tool)
	d.Start(tool)
	d.Wait(tool)
}

// add adds a piece, and appends its text. It reports whether the piece is valid.
func (p *pieces) add(piece []byte) bool {
	path, ok := pathOf(dialect.RawText(piece, "jsonPath"))
	kind, value, known := valueOf(piece)
	if !ok || !known || p.count+len(path) > nodeLimit {
		return false
	}
	at := []*node{&p.root}
	for i, s := range path {
		holds := kind
		if i+1 < len(path) {
			holds = path[i+1].container()
		}
		next, begun := p.step(at[i], s, holds)
		if next == nil {
			return false
		}
		if begun {
			p.begin(at, next, s)
		}
		at = append(at, next)
	}
	leaf := at[len(at)-1]
	p.write(leaf, value, dialect.RawTrue(dialect.RawMember(piece, "willContinue")))
	p.last = at
	return true
}

// step returns an item of a node, which it adds if there is none.
func (p *pieces) step(in *node, s step, kind byte) (item *node, begun bool) {
	if in.kind != s.container() {
		return nil, false
	}
	i := len(in.items) - 1
	if in.kind == '[' {
		for len(in.items) < s.index && p.count < nodeLimit {
			in.items, p.count, p.mixed = append(in.items, &node{kind: 'v', value: []byte("null")}), p.count+1, true
		}
		if i = s.index; i > len(in.items) {
			return nil, false
		}
	} else {
		for i >= 0 && in.names[i] != s.name {
			i--
		}
		if i < 0 {
			i, in.names = len(in.items), append(in.names, s.name)
		}
	}
	if i == len(in.items) {
		in.items, p.count = append(in.items, &node{kind: kind}), p.count+1
		return in.items[i], true
	}
	if item = in.items[i]; item.kind != kind {
		if item.holds() || kind == '{' || kind == '[' {
			return nil, false // the paths contradict each other
		}
		*item, p.mixed = node{kind: kind}, true
	}
	p.mixed = p.mixed || i < len(in.items)-1
	return item, false
}

// begin writes the names and brackets before a new node, which follows the nodes at.
func (p *pieces) begin(at []*node, next *node, s step) {
	if p.mixed {
		return
	}
	common := 0
	for common < len(at) && common < len(p.last) && at[common] == p.last[common] {
		common++
	}
	if common == len(at) {
		p.close(common)
	}
	p.last = append(p.last[:min(common, len(p.last))], at[common:]...)
	in := at[len(at)-1]
	if len(in.items) > 1 {
		p.text = append(p.text, ',')
	} else {
		p.text = append(p.text, in.kind)
	}
	if in.kind == '{' {
		name, _ := json.Marshal(s.name) // a string never fails
		p.text = append(append(p.text, name...), ':')
	}
	if next.kind == '"' {
		p.text = append(p.text, '"')
	}
}

// close ends the open values in the text, down to index first.
func (p *pieces) close(first int) {
	for i := len(p.last) - 1; i >= first; i-- {
		switch n := p.last[i]; {
		case n.kind == '"' && n.more: // more of it may come between other values
			p.text = append(p.text, '"')
		case n.kind == '{':
			p.text = append(p.text, '}')
		case n.kind == '[':
			p.text = append(p.text, ']')
		}
	}
}

// write sets the value of a piece.
func (p *pieces) write(n *node, value []byte, more bool) {
	if len(n.value) > 0 && !n.more { // the value is replaced
		n.value, p.mixed = n.value[:0], true
	}
	n.value, n.more = append(n.value, value...), more && n.kind == '"'
	p.text = append(p.text, value...)
	if n.kind == '"' && !n.more {
		p.text = append(p.text, '"')
	}
}

// appendTo appends the value as JSON.
func (n *node) appendTo(text []byte) []byte {
	switch n.kind {
	case 'v':
		return append(text, n.value...)
	case '"':
		return append(append(append(text, '"'), n.value...), '"')
	}
	text = append(text, n.kind)
	for i, item := range n.items {
		if i > 0 {
			text = append(text, ',')
		}
		if n.kind == '{' {
			name, _ := json.Marshal(n.names[i]) // a string never fails
			text = append(append(text, name...), ':')
		}
		text = item.appendTo(text)
	}
	return append(text, n.kind+2) // '}' after '{', ']' after '['
}
