package charges

import (
	"io"
	"net/http"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
	"tapedeck/query/tabular"
)

// Handler serves the route of charges.
type Handler struct{ *endpoint.Base }

const pageLimit, pageMost = 100, 1000

// Charges serves GET /v1/usage/calls.
func (h Handler) Charges(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	zone := p.Zone("timezone")
	q.From, q.To = p.Range(zone, h.Clock())
	q.Sessions = sessionfilter.Read(p)
	q.Unpriced = q.Sessions != nil && q.Sessions.Unpriced
	q.AsOf, q.Prices = p.Instant("as_of", zone, h.Clock()), p.Digest("prices")
	q.WhatIfModel, q.Currency = p.Text("what_if_model"), p.Text("currency")
	format := endpoint.OneOf(p, "format", Formats)
	_, long := kinds[format]
	q.Cells = tabular.ReadCells(p, format == CSV)
	if long {
		for _, name := range []string{"limit", "cursor"} {
			if v := p.Text(name); v != "" {
				p.Refuse(name, v, "goes with format=json", "left out")
			}
		}
	}
	limit, cursor := p.Number("limit", pageLimit, 1, pageMost), p.Text("cursor")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	if long {
		h.write(w, r, q, format, zone)
		return
	}
	page, err := ReadPage(r.Context(), h.Reader, q, cursor, limit)
	if err == nil {
		page.Completeness = query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, page, err)
}

// write streams charges while they are read.
func (h Handler) write(w http.ResponseWriter, r *http.Request, q Query, f Format, zone *time.Location) {
	scope := grouping.Scope{From: limitOf(q.From), To: limitOf(q.To), Timezone: zone.String()}
	file := endpoint.File{Name: scope.FileName("charges") + "." + kinds[f].suffix, Media: kinds[f].media}
	h.Stream(w, r, file, func(to io.Writer) error { return Write(r.Context(), h.Reader, q, f, to) })
}

func limitOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
