package charges

import (
	"context"
	"net/http"
	"time"

	"tapedeck/query/endpoint"
	"tapedeck/query/reports"
	"tapedeck/query/sessionlist"
)

// Handler answers the questions of this package.
type Handler struct{ *endpoint.Base }

const pageLimit, pageMost = 100, 1000

// Charges answers GET /v1/usage/calls.
func (h Handler) Charges(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant}
	zone := p.Zone("timezone")
	q.From, q.To = p.Range(zone, h.Clock())
	q.Sessions = sessionlist.ReadFilter(p)
	q.AsOf, q.Prices = p.Instant("as_of", zone, h.Clock()), p.Digest("prices")
	q.WhatIfModel, q.Currency = p.Text("what_if_model"), p.Text("currency")
	format := endpoint.OneOf(p, "format", Formats)
	_, long := kinds[format]
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
	h.Answer(w, r, page, err)
}

// write writes charges as they are read.
func (h Handler) write(w http.ResponseWriter, r *http.Request, q Query, f Format, zone *time.Location) {
	k := kinds[f]
	scope := reports.Scope{From: limitOf(q.From), To: limitOf(q.To), Timezone: zone.String()}
	out := &answer{ctx: r.Context(), w: w, control: http.NewResponseController(w), head: func() {
		w.Header().Set("Content-Disposition", `attachment; filename="`+scope.FileName("charges")+"."+k.suffix+`"`)
		w.Header().Set("Content-Type", k.media)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
	}}
	err := Write(r.Context(), h.Reader, q, f, out)
	switch {
	case err != nil && out.head != nil:
		h.Fail(w, r, err)
	case err != nil:
		h.Broken(r, err)
	default:
		out.done()
	}
}

func limitOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// writeTimeout is for one write: a client that takes nothing for so long is disconnected.
const writeTimeout = 30 * time.Second

// answer sends the head before the first byte, after which no error can be answered.
type answer struct {
	ctx     context.Context // the request's
	w       http.ResponseWriter
	control *http.ResponseController
	head    func() // nil once it is sent
}

func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	// Servers without deadlines, as tests have, go without.
	_ = a.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	n, err := a.w.Write(p)
	if err == nil {
		err = a.ctx.Err()
	}
	return n, err
}

func (a *answer) begin() {
	if a.head != nil {
		a.head()
		a.head = nil
	}
}

// done ends an answer, which may be empty.
func (a *answer) done() {
	a.begin()
	_ = a.control.Flush()
	_ = a.control.SetWriteDeadline(time.Time{})
}
