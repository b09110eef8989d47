package usagereport

import (
	"net/http"

	"tapedeck/query/endpoint"
	"tapedeck/query/reports"
)

// Handler answers the questions of this package.
type Handler struct{ *endpoint.Base }

// Usage answers GET /v1/usage.
func (h Handler) Usage(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Zone: p.Zone("timezone")}
	q.From, q.To = p.Range(q.Zone, h.Clock())
	q.Granularity = endpoint.OneOf(p, "granularity", reports.Granularities)
	q.GroupBy = reports.ReadGroupings(p, Groupings)
	format := endpoint.OneOf(p, "format", reports.Formats)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	report, err := Read(r.Context(), h.Reader, q)
	if err != nil || format != "csv" {
		h.Answer(w, r, report, err)
		return
	}
	reports.AnswerCSV(h.Base, w, r, report)
}
