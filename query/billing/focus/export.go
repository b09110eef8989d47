package focus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tapedeck/query"
)

var statements = query.Statements("billing/focus")

// Output creates the files of an export, one after another.
type Output interface {
	// Create starts a file. The previous file is closed by then.
	Create(name string) (io.WriteCloser, error)
}

// Files of an export. Version 1.2 has neither periods nor invoice details.
const (
	CostAndUsageFile  = "cost-and-usage.csv"
	UnpricedFile      = "unpriced-usage.csv"
	BillingPeriodFile = "billing-period.csv"
	InvoiceDetailFile = "invoice-detail.csv"
	MetadataFile      = "metadata.json"
)

// export is an export in progress.
type export struct {
	options  Options
	at       time.Time
	reader   *query.Reader
	invoices []*invoice
	output   Output
}

// Check returns an error if the options are invalid.
func Check(o Options) error {
	v, err := ParseVersion(string(o.Version))
	if err != nil {
		return err
	}
	_, err = o.columns(v)
	return err
}

// Export writes bills as files. It holds one row of a bill at a time.
func Export(ctx context.Context, r *query.Reader, source *Source, o Options, to Output) error {
	e, err := newExport(ctx, r, source, o)
	if err != nil {
		return err
	}
	return e.write(ctx, to)
}

// newExport reads and checks the data that an export needs before its first byte.
func newExport(ctx context.Context, r *query.Reader, source *Source, o Options) (*export, error) {
	if err := Check(o); err != nil {
		return nil, err
	}
	o.Version, _ = ParseVersion(string(o.Version))
	e := &export{options: o, at: time.Unix(0, r.Now()), reader: r}
	for _, b := range source.Bills {
		if b.ClosedAt == nil {
			return nil, fmt.Errorf("the bill of %s for %s is not closed: close it before it is exported", b.Account,
				b.Period)
		}
		table, err := r.Prices(ctx, b.PricesHash)
		if err != nil {
			return nil, fmt.Errorf("read the price table of bill %s: %w", b.Number, err)
		}
		account := accountOf(table, b)
		e.invoices = append(e.invoices, &invoice{
			Bill: b, options: &e.options, table: table, numbers: source.Numbers[b.Account],
			served: map[[2]string]provider{}, tiers: map[tierKey]int64{},
			issuer:       first(o.Issuer, account.Issuer, defaultIssuer),
			paymentTerms: first(o.PaymentTerms, account.Terms, defaultTerms),
		})
	}
	return e, nil
}

// write writes the files.
func (e *export) write(ctx context.Context, to Output) error {
	e.output = to
	m := &metadata{DataGenerator: dataGenerator{"tapedeck"}}
	for _, step := range []func(context.Context, *metadata) error{e.costs, e.unpriced, e.periods, e.details} {
		if err := step(ctx, m); err != nil {
			return err
		}
	}
	for _, b := range e.invoices {
		m.Invoices = append(m.Invoices, invoiceHash{b.Number, b.RowsHash, b.PricesHash})
	}
	return e.file(MetadataFile, func(w io.Writer) error { return m.write(w, MetadataFile) })
}

func (e *export) numbers() []string {
	list := make([]string, len(e.invoices))
	for i, b := range e.invoices {
		list[i] = b.Number
	}
	return list
}

// file writes one file.
func (e *export) file(name string, write func(io.Writer) error) error {
	w, err := e.output.Create(name)
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	return errors.Join(write(w), w.Close())
}

func (e *export) costs(ctx context.Context, m *metadata) error {
	columns, err := e.options.columns(e.options.Version)
	if err != nil {
		return err
	}
	m.Configuration = configuration{FocusVersion: e.options.Version, Tags: append([]string{}, e.options.Tags...),
		SubAccount: e.options.SubAccount}
	for _, c := range columns {
		m.Configuration.Columns = append(m.Configuration.Columns, c.name)
	}
	return e.file(CostAndUsageFile, func(w io.Writer) error {
		t, err := newTable(w, &e.options, CostAndUsageFile, columns)
		if err != nil {
			return err
		}
		for _, b := range e.invoices {
			if err := eachCharge(ctx, e.reader, b, false, t.write); err != nil {
				return err
			}
			for _, c := range b.roundings() {
				if err := t.write(c); err != nil {
					return err
				}
			}
		}
		describe(m, e, t, "CostAndUsage", "Cost and Usage by day")
		return t.end()
	})
}

func (e *export) unpriced(ctx context.Context, m *metadata) error {
	return e.file(UnpricedFile, func(w io.Writer) error {
		t, err := newTable(w, &e.options, UnpricedFile, unpricedColumns(e.options.Version))
		if err != nil {
			return err
		}
		for _, b := range e.invoices {
			if err := eachCharge(ctx, e.reader, b, true, t.write); err != nil {
				return err
			}
		}
		m.Unpriced = &unpricedFile{UnpricedFile, t.rows, t.definitions()}
		return t.end()
	})
}

func (e *export) periods(_ context.Context, m *metadata) error {
	if e.options.Version == V12 {
		return nil
	}
	return e.file(BillingPeriodFile, func(w io.Writer) error {
		t, err := newTable(w, &e.options, BillingPeriodFile, billingPeriod())
		if err != nil {
			return err
		}
		for _, p := range periodsOf(e.invoices) {
			if err := t.write(p); err != nil {
				return err
			}
		}
		describe(m, e, t, "BillingPeriod", "Billing Period")
		return t.end()
	})
}

func (e *export) details(_ context.Context, m *metadata) error {
	if e.options.Version == V12 {
		return nil
	}
	return e.file(InvoiceDetailFile, func(w io.Writer) error {
		t, err := newTable(w, &e.options, InvoiceDetailFile, invoiceDetail())
		if err != nil {
			return err
		}
		for _, b := range e.invoices {
			for i := range b.Lines {
				if b.Lines[i].Unpriced {
					continue
				}
				if err := t.write(&detail{b, &b.Lines[i]}); err != nil {
					return err
				}
			}
		}
		describe(m, e, t, "InvoiceDetail", "Invoice Detail")
		return t.end()
	})
}
