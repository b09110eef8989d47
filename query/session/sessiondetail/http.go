package sessiondetail

import (
	"net/http"

	"tapedeck/query/endpoint"
)

// Handler serves the route of one session.
type Handler struct{ *endpoint.Base }

// Session serves GET /v1/sessions/{id}.
func (h Handler) Session(w http.ResponseWriter, r *http.Request, tenant, session string) {
	if err := endpoint.NewParams(r).Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	detail, err := Read(r.Context(), h.Reader, tenant, session)
	h.Answer(w, r, detail, err)
}
