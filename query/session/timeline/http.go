package timeline

import (
	"net/http"

	"tapedeck/query/endpoint"
)

// Handler serves the route of the timeline.
type Handler struct{ *endpoint.Base }

// Timeline serves GET /v1/sessions/{id}/timeline.
func (h Handler) Timeline(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := endpoint.NewParams(r).Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	tl, err := Read(r.Context(), h.Reader, tenant, session)
	h.Answer(w, r, tl, err)
}
