package mcp

import (
	"tapedeck/ingest/dialect"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// Header fields of the protocol.
const (
	sessionField = "Mcp-Session-Id"
	versionField = "MCP-Protocol-Version"
	methodField  = "Mcp-Method"
)

// head reads the head of a request, which begins an exchange, or of its answer. Either
// may name the session; a proxy that is not asked to keep the id has masked it.
func (d *decoder) head(h *dialect.Head) {
	d.refusal.Answer(h.Status)
	if id := h.Field(sessionField); len(id) > 0 && string(id) != secrets.Mask {
		d.Session = d.session.Own(id)
	}
}

// refused ends the calls of an exchange whose answer has an error's status and did not
// end them. body is what it said, if that was seen.
func (d *decoder) refused(body []byte) {
	if !d.refusal.Refused() {
		return
	}
	why := d.refusal.Text()
	if len(body) > 0 {
		why = append(append(why, ": "...), dialect.Short(body)...)
	}
	for len(d.OpenTools()) > 0 {
		d.EndTool(d.OpenTools()[0], schema.StatusError, why)
	}
	d.waiting = nil
	d.refusal.Answer(0)
}
