package queryhttp

import (
	"net/http"

	"tapedeck/query/sessionframes"
)

// How many slices of time there are if nothing is said, and at most.
const densitySlices, densityMost = 600, 5000

// Density answers GET /v1/sessions/{id}/density.
func (s *Server) Density(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := newParams(r)
	slices := p.number("slices", densitySlices, 1, densityMost)
	if err := p.done(); err != nil {
		s.fail(w, r, err)
		return
	}
	density, err := sessionframes.ReadDensity(r.Context(), s.reader, tenant, session, slices)
	s.answer(w, r, density, err)
}
