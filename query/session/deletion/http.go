package deletion

import (
	"net/http"

	"tapedeck/query/endpoint"
)

// Handler answers the questions of this package.
type Handler struct{ *endpoint.Base }

// Delete answers DELETE /v1/sessions/{id}: 204 once nothing of it shows.
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
