package transcript

import (
	"net/http"
	"time"

	"tapedeck/query/endpoint"
)

const transcriptLimit, transcriptMost = 1000, 5000 // messages on a page

// Handler serves the route of the transcript.
type Handler struct{ *endpoint.Base }

// Transcript serves GET /v1/sessions/{id}/transcript.
func (h Handler) Transcript(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := endpoint.NewParams(r)
	q := Query{
		Tenant: tenant, Session: session, Chunks: p.Flag("chunks"), Since: p.Instant("since", time.UTC, h.Clock()),
		Limit: p.Number("limit", transcriptLimit, 1, transcriptMost), Cursor: p.Text("cursor"),
	}
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, page, err)
}
