package invoice

import (
	"bytes"
	"net/http"
	"strconv"

	"tapedeck/query/billing/bills"
	"tapedeck/query/endpoint"
)

// Handler serves the route of invoices.
type Handler struct {
	*endpoint.Base
	Store *bills.Store
}

// Invoice answers GET /v1/bills/{number}/invoice with a printable page.
func (h Handler) Invoice(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	by := p.Text("by")
	err := p.Done()
	var d *Document
	if err == nil {
		d, err = h.read(r, tenant, number, by)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	var page bytes.Buffer
	if err := d.Write(&page); err != nil {
		h.Fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(page.Len()))
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = w.Write(page.Bytes()) // an error means that the client has disconnected
}

func (h Handler) read(r *http.Request, tenant, number, by string) (*Document, error) {
	b, err := h.Store.BillBy(r.Context(), tenant, number, by)
	if err != nil {
		return nil, err
	}
	table, err := h.Reader.Prices(r.Context(), b.PricesHash)
	if err != nil {
		return nil, err
	}
	closed, err := h.Store.Closed(r.Context(), tenant, b.Account)
	if err != nil {
		return nil, err
	}
	numbers := map[string]string{}
	for i := range closed {
		numbers[closed[i].Period] = closed[i].Number
	}
	return New(b, table, numbers)
}
