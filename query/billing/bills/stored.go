package bills

import (
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
)

// StoredRow is a row of the table bill_rows, with times in ns. A statement may leave out the
// attempt.
type StoredRow struct {
	Attempt         string            `ch:"attempt"`
	Ordinal         uint64            `ch:"ordinal"`
	Class           string            `ch:"class"`
	Period          string            `ch:"charge_period"`
	Start           int64             `ch:"start_ns"`
	End             int64             `ch:"end_ns"`
	ChargeID        string            `ch:"charge_id"`
	At              int64             `ch:"at_ns"`
	SessionID       string            `ch:"session_id"`
	StreamID        string            `ch:"stream_id"`
	Position        string            `ch:"position"`
	Provider        string            `ch:"provider"`
	Model           string            `ch:"model"`
	ServiceTier     string            `ch:"service_tier"`
	Speed           string            `ch:"speed"`
	Region          string            `ch:"region"`
	Tags            map[string]string `ch:"tags"`
	Unit            string            `ch:"unit"`
	Quantity        string            `ch:"quantity"`
	Per             int64             `ch:"per"`
	ListPrice       string            `ch:"list_price"`
	ContractedPrice string            `ch:"contracted_price"`
	Price           string            `ch:"price"`
	ListCost        string            `ch:"list_cost"`
	ContractedCost  string            `ch:"contracted_cost"`
	BilledCost      string            `ch:"billed_cost"`
	PricesHash      string            `ch:"prices_hash"`
	Rules           []string          `ch:"rules"`
	Reason          string            `ch:"reason"`
	Note            string            `ch:"note"`
}

// Row returns the row as a row of the bill with the given number.
func (s *StoredRow) Row(number string) (Row, error) {
	d := decimals{}
	return Row{
		Number: number, Ordinal: s.Ordinal, Class: Class(s.Class), Period: s.Period,
		Start: query.Instant(s.Start), End: query.Instant(s.End),
		ChargeID: s.ChargeID, At: query.Instant(s.At), SessionID: s.SessionID,
		StreamID: s.StreamID, Position: s.Position,
		Provider: s.Provider, Model: s.Model, ServiceTier: s.ServiceTier,
		Speed: s.Speed, Region: s.Region, Tags: s.Tags,
		Unit: s.Unit, Quantity: d.number("quantity", s.Quantity), Per: s.Per,
		ListPrice:       d.orNull("list_price", s.ListPrice),
		ContractedPrice: d.orNull("contracted_price", s.ContractedPrice),
		Price:           d.orNull("price", s.Price),
		ListCost:        d.orNull("list_cost", s.ListCost),
		ContractedCost:  d.orNull("contracted_cost", s.ContractedCost),
		BilledCost:      d.orNull("billed_cost", s.BilledCost),
		PricesHash:      s.PricesHash, Rules: s.Rules, Reason: s.Reason, Note: Why(s.Note),
	}, d.err
}

// decimals parses decimal numbers and keeps the first error.
type decimals struct{ err error }

// number parses the value of a column.
func (d *decimals) number(column, text string) decimal.Decimal {
	n, err := decimal.NewFromString(text)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("%s: %w", column, err)
	}
	return n
}

// orNull parses the value of a column in which "" is null.
func (d *decimals) orNull(column, text string) decimal.NullDecimal {
	if text == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(d.number(column, text))
}

// columns holds rows column by column, in the order of sql/insert_bill_rows.sql.
type columns struct {
	tenant, account, period, attempt                                              []string
	ordinal                                                                       []uint64
	class, chargePeriod                                                           []string
	start, end                                                                    []time.Time
	chargeID                                                                      []string
	at                                                                            []time.Time
	session, stream, position, provider, model, serviceTier, speed, region        []string
	tags                                                                          []map[string]string
	unit, quantity                                                                []string
	per                                                                           []int64
	listPrice, contractedPrice, price, listCost, contractedCost, billedCost, hash []string
	rules                                                                         [][]string
	reason, note                                                                  []string
}

func (c *columns) add(tenant string, b *Bill, r *Row) {
	c.tenant, c.account = append(c.tenant, tenant), append(c.account, b.Account)
	c.period, c.attempt = append(c.period, b.Period), append(c.attempt, b.Attempt)
	c.ordinal, c.class = append(c.ordinal, r.Ordinal), append(c.class, string(r.Class))
	c.chargePeriod, c.start, c.end = append(c.chargePeriod, r.Period), append(c.start, r.Start), append(c.end, r.End)
	c.chargeID, c.at = append(c.chargeID, r.ChargeID), append(c.at, r.At)
	c.session, c.stream, c.position = append(c.session, r.SessionID), append(c.stream, r.StreamID),
		append(c.position, r.Position)
	c.provider, c.model = append(c.provider, r.Provider), append(c.model, r.Model)
	c.serviceTier, c.speed, c.region = append(c.serviceTier, r.ServiceTier), append(c.speed, r.Speed),
		append(c.region, r.Region)
	c.tags, c.unit = append(c.tags, r.Tags), append(c.unit, r.Unit)
	c.quantity, c.per = append(c.quantity, r.Quantity.String()), append(c.per, r.Per)
	c.listPrice, c.contractedPrice, c.price = append(c.listPrice, text(r.ListPrice)),
		append(c.contractedPrice, text(r.ContractedPrice)), append(c.price, text(r.Price))
	c.listCost, c.contractedCost, c.billedCost = append(c.listCost, text(r.ListCost)),
		append(c.contractedCost, text(r.ContractedCost)), append(c.billedCost, text(r.BilledCost))
	c.hash, c.rules = append(c.hash, r.PricesHash), append(c.rules, r.Rules)
	c.reason, c.note = append(c.reason, r.Reason), append(c.note, string(r.Note))
}

// values returns the columns in their order.
func (c *columns) values() []any {
	return []any{
		c.tenant, c.account, c.period, c.attempt, c.ordinal, c.class, c.chargePeriod,
		c.start, c.end, c.chargeID, c.at, c.session, c.stream, c.position,
		c.provider, c.model, c.serviceTier, c.speed, c.region, c.tags, c.unit,
		c.quantity, c.per, c.listPrice, c.contractedPrice, c.price,
		c.listCost, c.contractedCost, c.billedCost, c.hash, c.rules, c.reason, c.note,
	}
}

// reset empties the columns and keeps their memory.
func (c *columns) reset() {
	for _, texts := range []*[]string{
		&c.tenant, &c.account, &c.period, &c.attempt, &c.class, &c.chargePeriod,
		&c.chargeID, &c.session, &c.stream, &c.position,
		&c.provider, &c.model, &c.serviceTier, &c.speed, &c.region, &c.unit,
		&c.quantity, &c.listPrice, &c.contractedPrice, &c.price,
		&c.listCost, &c.contractedCost, &c.billedCost, &c.hash, &c.reason, &c.note,
	} {
		*texts = (*texts)[:0]
	}
	c.ordinal, c.per, c.start, c.end, c.at = c.ordinal[:0], c.per[:0], c.start[:0], c.end[:0], c.at[:0]
	c.tags, c.rules = c.tags[:0], c.rules[:0]
}
