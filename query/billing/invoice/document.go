// Package invoice writes a closed bill as a document for people: a printable HTML page.
package invoice

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/billing/bills"
	"tapedeck/query/pricing/prices"
)

//go:embed invoice.html
var page string

var document = template.Must(template.New("invoice").Parse(page))

// Document holds the contents of the page. Amounts are texts in the invoice's currency.
type Document struct {
	Number, Issuer, Customer, Account string
	IssuerAddress, Address            []string // one text for each line
	Period, From, To, Zone, Closed    string   // To is the last day of the period
	Currency                          string
	By                                string // the tag by whose values lines are apart; "" for none
	Lines                             []Line
	Corrections                       []Line
	Net, Tax, Total                   string // Tax is "" where the price file states none
	TaxName, TaxRate, TaxID           string
	Terms                             string
	Unpriced                          uint64
	List                              *prices.Release
	Rates                             []string // exchange rates that applied in the period
}

// Line is the usage of one model. For corrections there is one Line for each model, corrected
// period and corrected invoice.
type Line struct {
	Period, Invoice string // set for a correction
	TagValue        string // of the document's tag By; "" for usage without the tag
	Model, Provider string
	PricedAs        string // the model whose price was used, if it differs from Model
	Quantities      []Quantity
	Amount          string

	sum decimal.Decimal
}

// Quantity is the quantity that was used of one unit.
type Quantity struct{ Unit, Count string }

// New returns the document of a closed bill. numbers maps each period of the account to the number
// of its bill; corrections refer to these numbers.
func New(b *bills.Bill, table *prices.Effective, numbers map[string]string) (*Document, error) {
	if b.ClosedAt == nil {
		return nil, fmt.Errorf("the bill of %s for %s is not closed: close it before it is printed",
			b.Account, b.Period)
	}
	zone, err := time.LoadLocation(b.Timezone)
	if err != nil {
		return nil, fmt.Errorf("zone of bill %s: %w", b.Number, err)
	}
	tag, value, of := strings.Cut(b.Account, "=")
	if !of {
		tag = ""
	}
	account := table.AccountOf(tag)
	money := func(d decimal.Decimal) string { return d.StringFixed(b.MinorUnits) }
	day := func(t time.Time) string { return t.In(zone).Format(time.DateOnly) }
	d := &Document{
		Number: b.Number, Issuer: account.Issuer, Customer: b.AccountName, Account: b.Account,
		IssuerAddress: lines(account.IssuerAddress), Address: lines(account.Addresses[value]),
		Period: b.Period, From: day(b.Start), To: day(b.End.Add(-time.Nanosecond)), Zone: b.Timezone,
		Closed: day(*b.ClosedAt), Currency: b.Currency, By: b.By, Net: money(b.Total), Total: money(b.Total),
		Terms: account.Terms, Unpriced: b.Unpriced, List: b.List, Rates: rates(table, b),
	}
	if !of {
		d.Address = lines(account.Addresses[bills.TenantID])
	}
	if tax := account.Tax; tax != nil {
		amount := b.Total.Mul(tax.Rate).Shift(-2).RoundBank(b.MinorUnits)
		d.TaxName, d.TaxRate, d.TaxID = tax.Name, tax.Rate.String(), tax.ID
		d.Tax, d.Total = money(amount), money(b.Total.Add(amount))
	}
	for i := range b.Lines {
		if l := &b.Lines[i]; l.Class == bills.Correction {
			d.Corrections = add(d.Corrections, l, numbers[l.Period])
		} else {
			d.Lines = add(d.Lines, l, "")
		}
	}
	for _, list := range [][]Line{d.Lines, d.Corrections} {
		for i := range list {
			list[i].Amount = money(list[i].sum)
		}
	}
	return d, nil
}

// add adds a line of the bill to the Line of its model, and returns the list.
func add(list []Line, l *bills.Line, number string) []Line {
	if l.Unpriced {
		return list
	}
	period := ""
	if l.Class == bills.Correction {
		period = l.Period
	}
	i := slices.IndexFunc(list, func(o Line) bool {
		return o.Period == period && o.Model == l.Model && o.Provider == l.Provider && o.TagValue == l.TagValue
	})
	if i < 0 {
		i = len(list)
		list = append(list, Line{
			Period: period, Invoice: number, Model: l.Model, Provider: l.Provider, PricedAs: l.PricedAs,
			TagValue: l.TagValue,
		})
	}
	list[i].sum = list[i].sum.Add(l.Amount)
	unit := strings.ReplaceAll(l.Unit, "_", " ")
	list[i].Quantities = append(list[i].Quantities, Quantity{unit, grouped(l.Quantity.String())})
	return list
}

// rates returns the exchange rates that applied in the period of a bill, as texts.
func rates(table *prices.Effective, b *bills.Bill) (list []string) {
	o := table.Operator()
	if o == nil || b.Currency == "USD" {
		return nil
	}
	for i, r := range o.Rates {
		if r.From.Before(b.End) && (i+1 == len(o.Rates) || o.Rates[i+1].From.After(b.Start)) {
			from := r.From.Format(time.DateOnly)
			list = append(list, fmt.Sprintf("1 USD = %s %s from %s", r.Dollar, b.Currency, from))
		}
	}
	return list
}

// grouped formats a number with commas between groups of three digits.
func grouped(number string) string {
	whole, fraction, ok := strings.Cut(number, ".")
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "-", rest
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if ok {
		whole += "." + fraction
	}
	return sign + whole
}

func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// Write writes the page.
func (d *Document) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := document.Execute(&b, d); err != nil {
		return fmt.Errorf("write the invoice %s: %w", d.Number, err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
