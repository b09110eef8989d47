package focus_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/billing/bills"
	"tapedeck/query/querytest"
)

// fixture is a closed bill with its rows.
type fixture struct {
	*bills.Bill
	rows    []*bills.Row
	numbers map[string]string // of the account's bills, by period
}

// newFixture makes a bill of an account, closed ten days after its period.
func newFixture(t testing.TB, account, period, zone, currency string, minorUnits int32) *fixture {
	t.Helper()
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	month, err := time.ParseInLocation("2006-01", period, location)
	if err != nil {
		t.Fatal(err)
	}
	closed := month.AddDate(0, 1, 10)
	number := fmt.Sprintf("INV-%s-%s", period, account)
	return &fixture{
		Bill: &bills.Bill{
			Number: number, Attempt: "attempt-" + number, Account: account, AccountName: "Account " + account, Period: period,
			Start: month.UTC(), End: month.AddDate(0, 1, 0).UTC(), Timezone: zone, Currency: currency, MinorUnits: minorUnits,
			ClosedAt: &closed, RowsHash: "hash of " + number, Lines: []bills.Line{},
		},
		numbers: map[string]string{period: number},
	}
}

// row adds a row at a time, with a quantity at prices; a price "" is null.
func (f *fixture) row(at time.Time, provider, model, unit string, quantity int64, list, contracted, price string) *bills.Row {
	location, err := time.LoadLocation(f.Timezone)
	if err != nil {
		panic(err)
	}
	day := at.In(location)
	start := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, location)
	n := len(f.rows)
	r := &bills.Row{
		Number: f.Number, Ordinal: uint64(n), Period: day.Format("2006-01"), Start: start.UTC(), End: start.AddDate(0, 0, 1).UTC(),
		ChargeID: fmt.Sprintf("charge-%d", n), At: at.UTC(), SessionID: fmt.Sprintf("session %d", n%17), StreamID: querytest.StreamID(n),
		Position: fmt.Sprintf("%d.%s.%d", at.UnixNano(), querytest.StreamID(n), n),
		Provider: provider, Model: model, Unit: unit, Quantity: decimal.NewFromInt(quantity), Per: 1_000_000, PricesHash: f.PricesHash,
		Rules: []string{"everyone"}, Tags: map[string]string{"customer": "c1", "team": []string{"red", "blue"}[n%2]},
	}
	for _, p := range []struct {
		text        string
		price, cost *decimal.NullDecimal
	}{{list, &r.ListPrice, &r.ListCost}, {contracted, &r.ContractedPrice, &r.ContractedCost}, {price, &r.Price, &r.BilledCost}} {
		if p.text != "" {
			d := decimal.RequireFromString(p.text)
			*p.price, *p.cost = decimal.NewNullDecimal(d), decimal.NewNullDecimal(r.Quantity.Mul(d).Shift(-6))
		}
	}
	if price == "" {
		r.Reason = "unknown_model"
	}
	f.rows = append(f.rows, r)
	return r
}

// usage adds rows at random times of the period.
func (f *fixture) usage(random *rand.Rand, n int) {
	models := [][2]string{{"anthropic", "claude-opus-4-5"}, {"openai", "gpt-5"}, {"", "gpt-5-mini"}, {"own", "fine-tuned/7"}}
	units := []string{"input_tokens", "cache_read_tokens", "cache_write_5m_tokens", "output_tokens"}
	prices := [][3]string{{"5", "4.25", "5.1"}, {"0.3333333", "0.3333333", "0.39999996"}, {"1.25", "", "1.25"}, {"", "2.5", "3"}}
	for range n {
		at := f.Start.Add(time.Duration(random.Int64N(int64(f.End.Sub(f.Start)))))
		m, p := models[random.IntN(len(models))], prices[random.IntN(len(prices))]
		r := f.row(at, m[0], m[1], units[random.IntN(len(units))], random.Int64N(300_000), p[0], p[1], p[2])
		r.ServiceTier = []string{"", "standard", "priority"}[random.IntN(3)]
		r.Region = []string{"", "us"}[random.IntN(2)]
	}
}

// total computes the head and the lines from the rows, in fractions.
func (f *fixture) total() *fixture {
	type key struct {
		class                         bills.Class
		period, provider, model, unit string
		unpriced                      bool
	}
	sums, order := map[key]*big.Rat{}, []key{}
	quantity := map[key]decimal.Decimal{}
	all, rounded := new(big.Rat), decimal.Decimal{}
	for _, r := range f.rows {
		k := key{r.Class, r.Period, r.Provider, r.Model, r.Unit, !r.Price.Valid}
		if sums[k] == nil {
			sums[k] = new(big.Rat)
			order = append(order, k)
		}
		sums[k].Add(sums[k], rat(r.BilledCost.Decimal.String()))
		all.Add(all, rat(r.BilledCost.Decimal.String()))
		quantity[k] = quantity[k].Add(r.Quantity)
	}
	f.Lines = nil
	for _, k := range order {
		exact := decimalOf(sums[k])
		amount := exact.RoundBank(f.MinorUnits)
		rounded = rounded.Add(amount)
		f.Lines = append(f.Lines, bills.Line{
			Class: k.class, Period: k.period, Provider: k.provider, Model: k.model, Unit: k.unit,
			Quantity: quantity[k], Cost: exact, Amount: amount, Unpriced: k.unpriced,
		})
	}
	f.BilledCost, f.Total = decimalOf(all), rounded
	f.Residual = rounded.Sub(f.BilledCost)
	return f
}

// decimalOf returns a fraction whose decimal form ends.
func decimalOf(r *big.Rat) decimal.Decimal {
	return decimal.RequireFromString(r.FloatString(40))
}

// store inserts the rows of bills.
func store(t testing.TB, db *querytest.DB, list ...*fixture) {
	t.Helper()
	null := func(d decimal.NullDecimal) string {
		if !d.Valid {
			return ""
		}
		return d.Decimal.String()
	}
	batch, err := db.Conn.PrepareBatch(t.Context(), `INSERT INTO bill_rows (tenant, account, period, attempt, ordinal, class, charge_period,
		charge_start, charge_end, charge_id, at, session_id, stream_id, position, provider, model, service_tier, speed, region, tags, unit,
		quantity, per, list_price, contracted_price, price, list_cost, contracted_cost, billed_cost, prices_hash, rules, reason, note)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		for _, r := range f.rows {
			err := batch.Append(querytest.Tenant, f.Account, f.Period, f.Attempt, r.Ordinal, string(r.Class), r.Period,
				r.Start, r.End, r.ChargeID, r.At, r.SessionID, r.StreamID, r.Position, r.Provider, r.Model, r.ServiceTier, r.Speed, r.Region, r.Tags, r.Unit,
				r.Quantity.String(), r.Per, null(r.ListPrice), null(r.ContractedPrice), null(r.Price), null(r.ListCost), null(r.ContractedCost), null(r.BilledCost),
				r.PricesHash, r.Rules, r.Reason, string(r.Note))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := batch.Send(); err != nil {
		t.Fatal(err)
	}
}

// storeHeads inserts the heads of bills, which makes them closed.
func storeHeads(t testing.TB, db *querytest.DB, list ...*fixture) {
	t.Helper()
	for _, f := range list {
		text, err := json.Marshal(f.Bill)
		if err == nil {
			err = db.Conn.Exec(t.Context(), `INSERT INTO bills (tenant, account, period, number, prefix, sequence, attempt, period_start, period_end, closed_at,
				currency, prices_hash, rows_hash, total, bill) VALUES (?, ?, ?, ?, 'INV-', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				querytest.Tenant, f.Account, f.Period, f.Number, f.Attempt, f.Start, f.End, *f.ClosedAt, f.Currency, f.PricesHash, f.RowsHash, f.Total.String(), string(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
