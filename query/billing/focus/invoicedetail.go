package focus

import (
	"maps"

	"tapedeck/query/billing/bills"
)

// detail is a row of the dataset Invoice Detail: one line of an invoice.
type detail struct {
	bill *invoice
	line *bills.Line
}

// row returns a row with the fields of the line, for functions that take rows.
func (d *detail) row() *bills.Row {
	return &bills.Row{Provider: d.line.Provider, Model: d.line.Model, Unit: d.line.Unit, Period: d.line.Period,
		Class: d.line.Class, At: d.bill.Start}
}

// invoiceDetail returns the columns of Invoice Detail, sorted by name.
func invoiceDetail() []column[detail] {
	closed := func(d *detail) string { return moment(*d.bill.ClosedAt) }
	currency := func(d *detail) string { return d.bill.Currency }
	rounded := func(d *detail) string { return amount(d.line.Amount) }
	id := func(d *detail) string {
		return lineID(d.line.Period, d.line.Provider, d.line.Model, d.line.Unit)
	}
	return []column[detail]{
		{"BilledCost", number, rounded},
		{"BillingAccountId", text, func(d *detail) string { return d.bill.accountID() }},
		{"BillingCurrency", text, currency},
		{"BillingPeriodEnd", instant, func(d *detail) string { return moment(d.bill.End) }},
		{"BillingPeriodStart", instant, func(d *detail) string { return moment(d.bill.Start) }},
		{"ChargeCategory", text, func(*detail) string { return "Usage" }},
		{"InvoiceDetailCreated", instant, closed},
		{"InvoiceDetailDescription", text, (*detail).description},
		{"InvoiceDetailGrain", document, (*detail).grain},
		{"InvoiceDetailId", text, id},
		{"InvoiceDetailLastUpdated", instant, closed},
		{"InvoiceId", text, func(d *detail) string { return d.bill.Number }},
		{"InvoiceIssueDate", instant, closed},
		{"InvoiceIssueStatus", text, func(*detail) string { return "Issued" }},
		{"InvoiceIssuerName", text, func(d *detail) string { return d.bill.issuer }},
		{"PaymentCurrency", text, currency},
		{"PaymentCurrencyBilledCost", number, rounded},
		{"PaymentCurrencyInvoiceDetailId", text, id},
		{"PaymentDueDate", instant, func(*detail) string { return "" }},
		{"PaymentTerms", text, func(d *detail) string { return d.bill.paymentTerms }},
		{"ReferenceInvoiceId", text, (*detail).reference},
		{"x_BilledCostExact", number, func(d *detail) string { return amount(d.line.Cost) }},
		{"x_ChargePeriod", text, func(d *detail) string { return d.line.Period }},
		{"x_ConsumedQuantity", number, func(d *detail) string { return amount(d.line.Quantity) }},
		{"x_ConsumedUnit", text, func(d *detail) string { return measure(d.line.Unit) }},
	}
}

func (d *detail) description() string {
	c := charge{bill: d.bill, row: *d.row()}
	return c.description()
}

// grain returns the values that distinguish the line from the invoice's other lines, as JSON.
func (d *detail) grain() string {
	r := d.row()
	served := d.bill.provider(r)
	grain := map[string]string{
		"ServiceName": served.name + " API", "SkuId": skuID(served.id, name(r.Model), r.Unit),
		"SkuMeter":       meter(r.Unit),
		"x_ChargePeriod": r.Period, "x_Model": name(r.Model), "x_Provider": name(r.Provider),
	}
	maps.DeleteFunc(grain, func(_, value string) bool { return value == "" })
	return object(grain)
}

// reference returns the number of the invoice that a correction adjusts, otherwise the invoice's
// own number. If the account had no bill of the corrected period, as with charges that moved to the
// account, it is also the invoice's own number.
func (d *detail) reference() string {
	if n, ok := d.bill.numbers[d.line.Period]; ok && d.line.Class == bills.Correction {
		return n
	}
	return d.bill.Number
}
