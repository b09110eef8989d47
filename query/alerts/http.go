package alerts

import (
	"net/http"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
)

// limits of GET /v1/alerts.
const limit, most = 50, 500

// Handler serves the route of alerts.
type Handler struct{ *endpoint.Base }

// List serves GET /v1/alerts.
func (h Handler) List(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Parse(p, tenant, h.Clock())
	q.Limit = p.Number("limit", limit, 1, most)
	cursor := p.Text("cursor")
	err := p.Done()
	if err == nil {
		q.After, err = query.ParseMark(listed, cursor)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := List(r.Context(), h.Reader, q)
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}

// Parse reads the parameters that select alerts.
func Parse(p *endpoint.Params, tenant string, now time.Time) Query {
	q := Query{Tenant: tenant, Session: p.Text("session"), Rules: p.Texts("rule"), State: endpoint.OneOf(p, "state", []State{Open, Ended}),
		Per: p.Text("per"), Value: p.Text("value")}
	q.From, q.To = p.Range(p.Zone("timezone"), now)
	return q
}
