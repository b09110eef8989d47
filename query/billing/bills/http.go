package bills

import (
	"io"
	"net/http"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/tabular"
)

// Handler serves the routes of bills.
type Handler struct {
	*endpoint.Base
	Store *Store
}

// Number is a handler of a route of one bill, which is selected by its number.
type Number = func(w http.ResponseWriter, r *http.Request, tenant, number string)

// Preview is the answer of GET /v1/bills/preview: the bill of a period as if it were closed now.
type Preview struct {
	Bill
	// CorrectionRows are the first rows that correct earlier bills.
	CorrectionRows []Row `json:"correction_rows"`
	*query.Completeness
}

const (
	// maxPreviewed bounds CorrectionRows of a preview.
	maxPreviewed         = 1000
	rowsLimit, rowsMost  = 500, 5000
	rowsName             = "bill_rows"
	framesLimit, noLimit = 100, 1 << 30
)

var states = []State{Open, Draft, Closed}

// List serves GET /v1/bills.
func (h Handler) List(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	q := ListQuery{Tenant: tenant, Account: p.Text("account"), State: endpoint.OneOf(p, "state", states),
		From: p.Text("from"), To: p.Text("to")}
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	list, err := h.Store.List(r.Context(), q)
	h.Answer(w, r, list, err)
}

// Close serves POST /v1/bills.
func (h Handler) Close(w http.ResponseWriter, r *http.Request, tenant string) {
	account, period, err := readPeriod(endpoint.NewParams(r))
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	b, err := h.Store.Close(r.Context(), tenant, account, period)
	h.Answer(w, r, b, err)
}

// Preview serves GET /v1/bills/preview.
func (h Handler) Preview(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	tag := p.Text("by")
	account, period, err := readPeriod(p)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	preview, by := Preview{CorrectionRows: []Row{}}, newSplit(tag)
	b, err := h.Store.Preview(r.Context(), tenant, account, period, func(row *Row) error {
		if row.Class == Correction && len(preview.CorrectionRows) < maxPreviewed {
			preview.CorrectionRows = append(preview.CorrectionRows, *row)
		}
		if tag != "" {
			return by.add(row)
		}
		return nil
	})
	if err == nil && tag != "" {
		err = by.apply(b)
	}
	if err == nil {
		preview.Bill, preview.Completeness = *b, query.CompletenessOf(r.Context())
	}
	h.Answer(w, r, preview, err)
}

// readPeriod reads the parameters account, which defaults to the tenant's, and period, a month.
func readPeriod(p *endpoint.Params) (account, period string, err error) {
	account, period = p.Text("account"), p.Text("period")
	if account == "" {
		account = TenantID
	}
	if err := p.Done(); err != nil {
		return "", "", err
	}
	_, err = parseMonth("period", period)
	return account, period, err
}

// Bill serves GET /v1/bills/{number}.
func (h Handler) Bill(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	tag := p.Text("by")
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	b, err := h.Store.BillBy(r.Context(), tenant, number, tag)
	h.Answer(w, r, b, err)
}

type rowsFormat string

var rowsFormats = []rowsFormat{"json", "csv"}

// Page is one page of the rows of a bill.
type Page struct {
	Items []Row   `json:"items"`
	Next  *string `json:"next"`
}

// Rows serves GET /v1/bills/{number}/rows. JSON returns one page; CSV returns all rows and is their
// canonical text.
func (h Handler) Rows(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	format, limit := endpoint.OneOf(p, "format", rowsFormats), p.Number("limit", rowsLimit, 1, rowsMost)
	mark, err := query.ParseMark(rowsName, p.Text("cursor"))
	if bad := p.Done(); bad != nil {
		err = bad
	}
	var b *Bill
	if err == nil {
		b, err = h.Store.Bill(r.Context(), tenant, number)
	}
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	if format == "csv" {
		h.csv(w, r, tenant, b)
		return
	}
	from := uint64(0)
	if mark != nil {
		from = uint64(mark.Key)
	}
	page := Page{Items: []Row{}}
	err = h.Store.Rows(r.Context(), tenant, b, from, limit, func(row *Row) error {
		page.Items = append(page.Items, *row)
		return nil
	})
	if n := len(page.Items); n > 0 && page.Items[n-1].Ordinal+1 < b.Rows {
		page.Next = query.Mark{List: rowsName, Key: int64(page.Items[n-1].Ordinal + 1)}.Cursor()
	}
	h.Answer(w, r, page, err)
}

func (h Handler) csv(w http.ResponseWriter, r *http.Request, tenant string, b *Bill) {
	h.Stream(w, r, tabular.CSV.File(b.Number+"-rows"), func(to io.Writer) error {
		return h.Store.WriteRows(r.Context(), tenant, b, to, nil)
	})
}

// Verification serves GET /v1/bills/{number}/verification.
func (h Handler) Verification(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	frames := p.Number("frames", framesLimit, 0, noLimit)
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	v, err := h.Store.Verify(r.Context(), tenant, number, frames)
	h.Answer(w, r, v, err)
}

// PriceTable serves GET /v1/bills/{number}/prices: the canonical text of the effective price table
// of the bill.
func (h Handler) PriceTable(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	err := p.Done()
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	b, err := h.Store.Bill(r.Context(), tenant, number)
	if err == nil {
		var text []byte
		if text, err = h.Store.PriceText(r.Context(), b); err == nil {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(text)))
			_, _ = w.Write(text) // an error means that the client has disconnected
			return
		}
	}
	h.Fail(w, r, err)
}
