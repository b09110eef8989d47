package charges

import (
	"context"
	"time"

	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/query/report/grouping"
)

const (
	chunkRows = 7500 // records that one statement reads
	// rowBytes is an estimate of the memory of a record, including ids and tags.
	rowBytes = 2 << 10
)

// Walk calls visit with each charge of a query in order of time, until visit returns an error. It
// reads records with several statements, so that no statement stays open while visit blocks and a
// bounded number of records is in memory. If a source restates a charge meanwhile, Walk may visit
// it again, later and with the same id; the last visit counts.
func Walk(ctx context.Context, r *query.Reader, q Query, visit func(*Charge) error) error {
	return walk(ctx, r, q, chunkRows, visit)
}

func walk(ctx context.Context, r *query.Reader, q Query, chunk int, visit func(*Charge) error) error {
	p, err := q.Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return err
	}
	if err := budget.Of(ctx).Need(ctx, int64(chunk)*rowBytes); err != nil {
		return err
	}
	l := lister{reader: r, query: &q, pricers: p}
	var tags tagMaps
	rows := make([]row, 0, chunk)
	cursor, until := "", q.To
	for {
		rows = rows[:0]
		l.until = until
		err := l.read(ctx, cursor, chunk, func(row *row) error {
			rows = append(rows, *row)
			return nil
		})
		if err != nil {
			return err
		}
		for i := range rows {
			c := rows[i].charge(q.Tenant, p, &tags)
			if !q.selects(c) {
				continue
			}
			if err := visit(c); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			cursor = *rows[len(rows)-1].mark().Cursor()
		}
		switch {
		case len(rows) == chunk:
			until = q.within(rows)
		case l.until.Equal(q.To):
			return nil
		default:
			until = q.To
		}
	}
}

// within returns a time before which the next part of a list is likely to be complete, so that its
// statement need not read the rest of the range. It adds three times the time span of the last
// part.
func (q *Query) within(rows []row) time.Time {
	first, last := rows[0].At, rows[len(rows)-1].At
	until := query.Instant(last).Add(3*time.Duration(last-first) + time.Second)
	if !q.To.IsZero() && until.After(q.To) {
		return q.To
	}
	return until
}

// Page is a page of charges in order of time.
type Page struct {
	query.Page[*Charge]
	Prices grouping.Prices `json:"prices"`
}

// ReadPage returns at most limit charges, which must be at least 1, after the cursor.
func ReadPage(ctx context.Context, r *query.Reader, q Query, cursor string, limit int) (*Page, error) {
	p, err := q.Pricers(ctx, r, q.Tenant, q.From, q.To)
	if err != nil {
		return nil, err
	}
	page := &Page{Page: query.Page[*Charge]{Items: []*Charge{}}, Prices: p.Describe()}
	l := lister{reader: r, query: &q, pricers: p, until: q.To}
	var tags tagMaps
	most := limit + 1
	if q.Unpriced {
		most = max(most, chunkRows) // of which few may be selected
	}
	var last, end query.Mark // of the last charge of the page, and of the last record
	for {
		read := 0
		err = l.read(ctx, cursor, most, func(row *row) error {
			read, end = read+1, row.mark()
			if page.Next != nil {
				return nil
			}
			c := row.charge(q.Tenant, p, &tags)
			switch {
			case !q.selects(c):
			case len(page.Items) == limit:
				page.Next = last.Cursor()
			default:
				page.Items, last = append(page.Items, c), row.mark()
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if page.Next != nil || read < most {
			return page, nil
		}
		cursor = *end.Cursor()
	}
}
