package limitreport

import (
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
)

// Handler serves the route of limits.
type Handler struct{ *endpoint.Base }

// Limits serves GET /v1/limits.
func (h Handler) Limits(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Zone: p.Zone("timezone"), Tag: p.Text("tag")}
	q.From, q.To = p.Range(q.Zone, h.Clock())
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	report, err := Read(r.Context(), h.Reader, q)
	if err == nil {
		report.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, report, err)
}
