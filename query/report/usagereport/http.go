package usagereport

import (
	"io"
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

// Handler serves the route of usage.
type Handler struct{ *endpoint.Base }

// topMost bounds the parameter top.
const topMost = 10_000

// Usage serves GET /v1/usage.
func (h Handler) Usage(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := h.query(p, tenant)
	q.Granularity = endpoint.OneOf(p, "granularity", grouping.Granularities)
	q.GroupBy = grouping.ReadGroupings(p, Groupings)
	q.Order = endpoint.OneOf(p, "order", Orders)
	q.Findings, q.Plans = p.Flag("findings"), p.Flag("plans")
	if q.Top = p.Number("top", 0, 0, topMost); q.Top > 0 && len(q.GroupBy) == 0 {
		p.Refuse("top", p.Value("top"), "goes with group_by: without it there are no groups to list", "left out, or with group_by")
	}
	format := endpoint.OneOf(p, "format", Formats)
	q.Cells = tabular.ReadCells(p, format == tabular.CSV)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	if format != "" && format != tabular.JSON {
		b := grouping.New(tenant, q.From, q.To, q.Zone, q.Granularity)
		scope := grouping.Scope{From: b.From, To: b.To, Timezone: b.Zone.String(), GroupBy: q.GroupBy}
		h.Stream(w, r, format.File(scope.FileName("usage")), func(to io.Writer) error {
			return Write(r.Context(), h.Reader, q, format, to)
		})
		return
	}
	report, err := Read(r.Context(), h.Reader, q)
	if err == nil {
		err = report.checkTags(r.Context(), h.Reader, tenant)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	report.Completeness = query.CompletenessOf(r.Context())
	h.AnswerJSON(w, r, report.WriteJSON)
}

// query reads the parameters that select usage: the range, the sessions and the prices.
func (h Handler) query(p *endpoint.Params, tenant string) Query {
	q := Query{Tenant: tenant, Zone: p.Zone("timezone")}
	q.From, q.To = p.Range(q.Zone, h.Clock())
	q.Sessions = sessionfilter.Read(p)
	q.AsOf = p.Instant("as_of", q.Zone, h.Clock())
	q.Prices = p.Digest("prices")
	q.WhatIfModel, q.Currency = p.Text("what_if_model"), p.Text("currency")
	return q
}
