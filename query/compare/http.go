package compare

import (
	"net/http"

	"tapedeck/internal/problem"
	"tapedeck/query/endpoint"
)

// Handler answers the questions of this package.
type Handler struct{ *endpoint.Base }

// Compare answers GET /v1/compare.
func (h Handler) Compare(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, A: p.Text("a"), B: p.Text("b"), Exact: p.Flag("exact"), Brief: p.Flag("brief")}
	q.Steps = p.Number("limit", DefaultSteps, 1, MostSteps)
	q.Row = p.Number("row", -1, 0, 2*MostSteps-1)
	err := p.Done()
	for _, side := range []string{"a", "b"} {
		if err == nil && p.Value(side) == "" {
			err = problem.BadParameter(side, side+" is missing: it names a session to compare.", "the id of a session")
		}
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	c, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, c, err)
}
