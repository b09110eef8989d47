package sessionlist

import (
	"net/http"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/sessionfilter"
)

const sessionsLimit, sessionsMost = 50, 500 // on a page

// Handler serves the route of the session list.
type Handler struct{ *endpoint.Base }

// Sessions serves GET /v1/sessions.
func (h Handler) Sessions(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	from, to := p.Range(time.UTC, h.Clock())
	if f := sessionfilter.Read(p); f != nil {
		q.Filter = *f
	}
	q.From, q.To = from, to
	q.Outdated = p.Flag("outdated")
	q.Sort = endpoint.OneOf(p, "sort", sessionfilter.Sorts)
	q.Limit = p.Number("limit", sessionsLimit, 1, sessionsMost)
	q.Cursor = p.Text("cursor")
	found := p.Flag("findings")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	if err == nil && found {
		err = AddFindings(r.Context(), h.Reader, tenant, page)
	}
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}
