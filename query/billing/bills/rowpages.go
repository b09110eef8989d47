package bills

import (
	"context"
	"io"
	"net/http"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/tabular"
)

const (
	rowsLimit, rowsMost = 500, 5000
	rowsName            = "bill_rows"
)

type rowsFormat string

var rowsFormats = []rowsFormat{"json", "csv"}

// Page is one page of the rows of a bill.
type Page struct {
	Items []Row   `json:"items"`
	Next  *string `json:"next"`
	// Count is the number of rows on all pages.
	Count uint64 `json:"count"`
	*query.Completeness
}

// Rows serves GET /v1/bills/{number}/rows. JSON returns one page; CSV returns all rows and is their
// canonical text.
func (h Handler) Rows(w http.ResponseWriter, r *http.Request, tenant, number string) {
	p := endpoint.NewParams(r)
	format, limit := endpoint.OneOf(p, "format", rowsFormats), p.Number("limit", rowsLimit, 1, rowsMost)
	filter := readRowFilter(p)
	if members := filter.members(); format == "csv" && len(members) > 0 {
		name := members[0].name
		p.Refuse(name, p.Value(name), "goes with format=json: CSV has all rows, since the bill has their hash", "left out")
	}
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
	page, err := h.Store.page(r.Context(), tenant, b, &filter, from, limit)
	h.Answer(w, r, page, err)
}

// page returns at most limit rows of a closed bill that pass the filter, from an ordinal on.
func (s *Store) page(
	ctx context.Context, tenant string, b *Bill, f *RowFilter, from uint64, limit int,
) (*Page, error) {
	args := query.Args{"tenant": tenant, "attempts": []string{b.Attempt}, "ordinal": from, "limit": limit + 1}
	shape := rowsShape{After: from > 0, Limited: true, Members: f.arguments(args)}
	page := &Page{Items: []Row{}, Count: b.Rows}
	if len(shape.Members) > 0 {
		counted, err := query.AskOne[numberRow](ctx, s.reader, statements, "count_line_rows", shape, args)
		if err != nil {
			return nil, err
		}
		if page.Count = counted.N; page.Count == 0 {
			return nil, f.none("The bill " + b.Number)
		}
	}
	err := s.eachRow(ctx, shape, args, map[string]string{b.Attempt: b.Number}, func(row *Row) error {
		if len(page.Items) < limit {
			page.Items = append(page.Items, *row)
		} else {
			page.Next = query.Mark{List: rowsName, Key: int64(row.Ordinal)}.Cursor()
		}
		return nil
	})
	return page, err
}

func (h Handler) csv(w http.ResponseWriter, r *http.Request, tenant string, b *Bill) {
	h.Stream(w, r, tabular.CSV.File(b.Number+"-rows"), func(to io.Writer) error {
		return h.Store.WriteRows(r.Context(), tenant, b, to, nil)
	})
}

// PreviewRows serves GET /v1/bills/preview/rows: the first rows of the bill of a period as if it
// were closed now. There are no further pages, since rows change with the usage of the period.
func (h Handler) PreviewRows(w http.ResponseWriter, r *http.Request, tenant string) {
	p := endpoint.NewParams(r)
	limit, filter := p.Number("limit", rowsLimit, 1, rowsMost), readRowFilter(p)
	account, period, err := readPeriod(p)
	if err != nil {
		h.Fail(w, r, err)
		return
	}
	page, selects := Page{Items: []Row{}}, filter.selects()
	_, err = h.Store.Preview(r.Context(), tenant, account, period, func(row *Row) error {
		if !selects(row) {
			return nil
		}
		if page.Count++; len(page.Items) < limit {
			page.Items = append(page.Items, *row)
		}
		return nil
	})
	if err == nil && page.Count == 0 && len(filter.members()) > 0 {
		err = filter.none("The bill of " + period + " of the account " + account)
	}
	page.Completeness = query.CompletenessOf(r.Context())
	h.Answer(w, r, page, err)
}
