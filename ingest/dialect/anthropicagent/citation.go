package anthropicagent

import (
	"bytes"
	"slices"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
)

// citedMembers are the members of a citation's envelope, in the order in which they are stated.
var citedMembers = []string{
	"citation_type", "document_index", "document_title", "start_char_index", "end_char_index",
	"start_page_number", "end_page_number", "url", "title",
}

// citation reads an envelope that belongs to the previous text. Its delta is the cited text, and
// other members hold the rest. In the successor the delta is JSON with both, and may come in
// pieces.
func (d *decoder) citation(e *envelope) bool {
	if e.JSON.Exists("citation_type") {
		var c dialect.Attributes
		c.AddText("cited_text", dialect.Alias(e.delta))
		for _, name := range citedMembers {
			c.AddRaw(name, dialect.RawMember(e.Data, name))
		}
		e.a.cite([]byte(c.Text()))
		return true
	}
	// "final" ends the list of citations, not one citation.
	i, text := d.openPayload(e.a, e.Type), e.delta
	begun := i < len(d.payloads)
	if begun {
		d.payloads[i].text = append(d.payloads[i].text, e.delta...)
		text = d.payloads[i].text
	}
	whole := wellformed.JSON(text)
	if !whole && !e.final && len(text) <= citesLimit {
		if !begun && i < openPayloads {
			d.payloads = append(d.payloads, payload{agent: e.a, typ: e.Type, text: bytes.Clone(e.delta)})
		}
		return begun || i < openPayloads
	}
	if begun {
		d.payloads = slices.Delete(d.payloads, i, i+1)
	}
	if !whole || text[0] != '{' {
		return false
	}
	e.a.cite(text)
	return true
}

// cite adds a citation, JSON, to the previous text.
func (a *agent) cite(citation []byte) {
	if a.cited == nil || len(a.cites)+len(citation) > citesLimit {
		return
	}
	a.cites.Add(citation)
	a.cited.Attributes = dialect.Attribute("citations", a.cites.JSON())
	a.Emitter.ChangedMessage(a.cited, a.Frame)
	a.spokeAt = a.Frame.At
}
