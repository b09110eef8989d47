package deletion

import (
	"net/http"

	"tapedeck/query/endpoint"
)

// Handler serves the route of deletion.
type Handler struct{ *endpoint.Base }

// Delete serves DELETE /v1/sessions/{id}. It answers 204 when no query returns anything of the
// session.
func (h Handler) Delete(w http.ResponseWriter, r *http.Request, tenant, session string) {
	err := endpoint.NewParams(r).Done()
	if err == nil {
		err = Delete(r.Context(), h.Reader, tenant, session)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
