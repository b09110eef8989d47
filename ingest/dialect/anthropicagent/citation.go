package anthropicagent

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
)

// cited members of a citation's envelope, in the order in which they are told.
var citedMembers = []string{
	"citation_type", "document_index", "document_title", "start_char_index", "end_char_index",
	"start_page_number", "end_page_number", "url", "title",
}

// citation reads an envelope that belongs to the text before it. Its delta is
// the text that is cited and the rest stands beside it; in the successor the
// delta is JSON that holds both, and may come in pieces.
func (d *decoder) citation(a *agent, in *dialect.Input, delta []byte) bool {
	if in.JSON.Exists("citation_type") {
		var c dialect.Attributes
		c.AddText("cited_text", dialect.Alias(delta))
		for _, name := range citedMembers {
			c.AddRaw(name, dialect.RawMember(in.Data, name))
		}
		a.cite([]byte(c.Text()))
		return true
	}
	// "final" ends the list of citations, not one of them.
	i := 0
	for i < len(d.blocks) && (d.blocks[i].agent != a || d.blocks[i].typ != "citation") {
		i++
	}
	text := delta
	if i < len(d.blocks) {
		d.blocks[i].text = append(d.blocks[i].text, delta...)
		text = d.blocks[i].text
	}
	whole := wellformed.JSON(text)
	switch {
	case whole, in.JSON.GetBool("final"), len(text) > citesLimit:
		if i < len(d.blocks) {
			d.blocks = append(d.blocks[:i], d.blocks[i+1:]...)
		}
		if whole && len(text) > 0 && text[0] == '{' {
			a.cite(text)
			return true
		}
		return false
	case i == len(d.blocks):
		if i >= payloads {
			return false
		}
		d.blocks = append(d.blocks, payload{agent: a, typ: "citation", text: append([]byte(nil), delta...)})
	}
	return true
}

// cite adds a citation, JSON, to the text before it.
func (a *agent) cite(citation []byte) {
	if a.cited == nil || len(a.cites)+len(citation) > citesLimit {
		return
	}
	if len(a.cites) == 0 {
		a.cites = append(a.cites, '[')
	} else {
		a.cites = append(a.cites, ',')
	}
	a.cites = append(a.cites, citation...)
	var attrs dialect.Attributes
	attrs.AddRaw("citations", append(a.cites[:len(a.cites):len(a.cites)], ']'))
	a.cited.Attributes = attrs.Text()
	a.Emitter.ChangedMessage(a.cited, a.Frame)
	a.heard = a.Frame.At
}
