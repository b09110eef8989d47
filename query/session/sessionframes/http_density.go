package sessionframes

import (
	"net/http"

	"tapedeck/query/endpoint"
)

// densitySlices and densityMost are the default and the maximum number of slices.
const densitySlices, densityMost = 600, 5000

// Density serves GET /v1/sessions/{id}/density.
func (h Handler) Density(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := endpoint.NewParams(r)
	slices := p.Number("slices", densitySlices, 1, densityMost)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	density, err := ReadDensity(r.Context(), h.Reader, tenant, session, slices)
	h.Answer(w, r, density, err)
}
