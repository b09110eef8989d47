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

// head reads the head of a request, which begins an exchange, or of its answer. Either may name
// the session. A proxy has masked the id, unless it is configured to keep it.
func (d *decoder) head(h *dialect.Head) {
	d.refusal.Answer(h.Status)
	if id := h.Field(sessionField); len(id) > 0 && string(id) != secrets.Mask {
		d.Session = d.session.Own(id)
	}
}

// refused ends the calls of an exchange whose answer has an error status and did not end them.
// body is the body of the answer, if there was one.
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
