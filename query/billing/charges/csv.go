package charges

import (
	"io"
	"strconv"
	"time"

	"tapedeck/query"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/tabular"
)

// csvFile writes CSV: the columns of type columns.
type csvFile struct {
	w        io.Writer
	form     tabular.Cells
	currency string
	line     []byte
	json     []byte
}

func newCSV(w io.Writer, currency string, cells tabular.Cells) (writer, error) {
	return &csvFile{w: w, form: cells, currency: currency}, tabular.NewRecords(w, cells).Write(columnNames)
}

func (f *csvFile) end() error { return nil }

func (f *csvFile) write(c *Charge) error {
	f.line = f.line[:0]
	f.text(c.ChargeID)
	f.line = append(c.At.AppendFormat(f.line, time.RFC3339Nano), ',')
	for _, text := range [...]string{c.Tenant, c.SessionID, c.StreamID, c.RunID, c.NodeID, c.SpanID, c.Agent} {
		f.text(text)
	}
	f.json = appendTags(f.json[:0], c.Tags)
	f.encoded()
	for _, text := range [...]string{
		query.Text(c.Provider), query.Text(c.Model), query.Text(c.RequestedModel), c.ServiceTier, c.Speed, c.Region,
		c.Dialect, c.RequestID, c.MessageID, c.Scope, c.Mode,
	} {
		f.text(text)
	}
	f.line = append(strconv.AppendBool(f.line, c.IsCall), ',')
	t, parts := &c.Tokens, &c.Parts
	for _, n := range [...]int64{
		t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output, t.Reasoning, t.Total,
		parts.InputAudio, parts.InputImage, parts.InputVideo,
		parts.CacheReadAudio, parts.CacheReadImage, parts.CacheReadVideo,
		parts.OutputAudio, parts.OutputImage, parts.OutputVideo, parts.WebSearches, c.WebFetches, parts.CodeExecutions,
	} {
		f.line = append(strconv.AppendInt(f.line, n, 10), ',')
	}
	if c.StatedTotal != nil {
		f.line = strconv.AppendInt(f.line, int64(*c.StatedTotal), 10) // as in Parquet
	}
	f.line = append(f.line, ',')
	f.money(c.Stated)
	f.text(currencyOf(c.Stated))
	for _, text := range [...]string{
		c.PricesHash, query.Text(c.PriceProvider), query.Text(c.PriceModel), query.Text(c.PricedAs),
	} {
		f.text(text)
	}
	f.json = appendTexts(f.json[:0], c.Rules)
	f.encoded()
	for _, amount := range [...]*cost.Money{c.Cost, c.ListCost, c.ContractedCost, c.Repriced, c.WhatIf} {
		f.money(amount)
	}
	f.text(f.currency)
	f.text(otherCurrency(c))
	f.json = appendLines(f.json[:0], c.Lines)
	f.encoded()
	for _, text := range [...]string{
		reasonText(c.Unpriced), c.UnpricedDetail, reasonText(c.RepricedUnpriced), c.RepricedDetail,
		reasonText(c.WhatIfUnpriced), c.WhatIfDetail, c.Position,
	} {
		f.text(text)
	}
	f.line = append(f.line[:len(f.line)-1], "\r\n"...)
	_, err := f.w.Write(f.line)
	return err
}

// text appends a cell and a comma.
func (f *csvFile) text(cell string) {
	f.line = append(tabular.AppendCell(f.line, cell, f.form), ',')
}

// encoded appends a cell with the JSON text, and a comma.
func (f *csvFile) encoded() {
	f.line = append(tabular.AppendCell(f.line, f.json, f.form), ',')
}

// money appends a cell with an amount, which is empty for nil, and a comma.
func (f *csvFile) money(m *cost.Money) {
	if m != nil {
		f.line = appendDecimal(f.line, m.Amount)
	}
	f.line = append(f.line, ',')
}
