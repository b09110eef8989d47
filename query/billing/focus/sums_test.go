package focus_test

import (
	"bytes"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/focus"
	"tapedeck/query/querytest"
)

// Quantities and costs of days, units and classes are those of the rows of the bills, added
// up here as fractions, and each group stands in one row.
func TestSums(t *testing.T) {
	all := fixtures(t)
	r := open(t, all...)
	names := []string{"quantity", "list", "contracted", "billed", "charges"}
	for _, version := range []focus.Version{focus.V12, focus.V14} {
		m := export(t, r, focus.Options{Version: version}, all...)
		want := map[string][]*big.Rat{}
		for _, f := range all {
			zone, err := time.LoadLocation(f.Timezone)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range f.rows {
				day := row.At.In(zone).Format(time.DateOnly)
				where, key := "priced", strings.Join([]string{f.Number, day, row.Unit, strings.ToUpper(string(row.Class))}, "|")
				if !row.Price.Valid {
					where = "unpriced"
				}
				price := row.Price.Decimal
				contracted := price
				if row.ContractedPrice.Valid {
					contracted = row.ContractedPrice.Decimal
				}
				list := contracted
				if row.ListPrice.Valid {
					list = row.ListPrice.Decimal
				}
				cost := func(p interface{ String() string }) *big.Rat {
					c := new(big.Rat).Mul(rat(p.String()), rat(row.Quantity.String()))
					return c.Quo(c, new(big.Rat).SetInt64(row.Per))
				}
				addUp(want, where+"|"+key, rat(row.Quantity.String()), cost(list), cost(contracted), cost(price), big.NewRat(1, 1))
			}
		}
		got := map[string][]*big.Rat{}
		for file, where := range map[string]string{focus.CostAndUsageFile: "priced", focus.UnpricedFile: "unpriced"} {
			for _, record := range m.read(t, file).records {
				if record["ChargeCategory"] == "Adjustment" {
					continue
				}
				f := all[slices.IndexFunc(all, func(f *fixture) bool { return f.Number == record["InvoiceId"] })]
				zone, _ := time.LoadLocation(f.Timezone)
				start, err := time.Parse(time.RFC3339, record["ChargePeriodStart"])
				if err != nil {
					t.Fatal(err)
				}
				key := strings.Join([]string{where, record["InvoiceId"], start.In(zone).Format(time.DateOnly), record["x_UnitName"], strings.ToUpper(record["ChargeClass"])}, "|")
				addUp(got, key, rat(record["ConsumedQuantity"]), rat(record["ListCost"]), rat(record["ContractedCost"]), rat(record["BilledCost"]), rat(record["x_ChargeCount"]))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(want)) {
			for i, name := range names {
				if got[key] == nil || got[key][i].Cmp(want[key][i]) != 0 {
					t.Errorf("%s: %s is %v, want %v", key, name, got[key], want[key])
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d groups, want %d", len(got), len(want))
		}
	}
}

func addUp(sums map[string][]*big.Rat, key string, values ...*big.Rat) {
	if sums[key] == nil {
		sums[key] = make([]*big.Rat, len(values))
		for i := range values {
			sums[key][i] = new(big.Rat)
		}
	}
	for i, v := range values {
		sums[key][i].Add(sums[key][i], v)
	}
}

// Rows of the same day, account, model, unit, prices and conditions are one row, and those
// that differ in any of them are apart.
func TestGroups(t *testing.T) {
	f := newFixture(t, "tenant", "2026-10", "Asia/Kathmandu", "USD", 2)
	noon := f.Start.Add(12 * time.Hour)
	for range 3 {
		f.row(noon, "openai", "gpt-5", "input_tokens", 10, "1", "1", "1")
	}
	f.row(noon, "openai", "gpt-5", "input_tokens", 10, "1", "1", "1").ServiceTier = "priority"
	f.row(noon, "openai", "gpt-5", "input_tokens", 10, "1", "1", "1").Region = "us"
	f.row(noon, "openai", "gpt-5", "input_tokens", 10, "2", "1", "1")
	f.row(noon, "openai", "gpt-5", "output_tokens", 10, "1", "1", "1")
	f.row(noon, "openai", "gpt-5-mini", "input_tokens", 10, "1", "1", "1")
	f.row(noon.Add(24*time.Hour), "openai", "gpt-5", "input_tokens", 10, "1", "1", "1")
	f.row(f.Start.Add(24*time.Hour-time.Nanosecond), "openai", "gpt-5", "input_tokens", 10, "1", "1", "1") // the first day's last moment
	f.total()
	r := open(t, f)

	counts := func(o focus.Options) (list []string) {
		for _, record := range export(t, r, o, f).read(t, focus.CostAndUsageFile).records {
			if record["ChargeCategory"] == "Usage" {
				list = append(list, record["ConsumedQuantity"]+" "+record["x_ChargeCount"])
			}
		}
		slices.Sort(list)
		return list
	}
	if got, want := counts(focus.Options{}), []string{"10 1", "10 1", "10 1", "10 1", "10 1", "10 1", "40 4"}; !slices.Equal(got, want) {
		t.Errorf("quantities and charges %v, want %v", got, want)
	}
	// Of the four, two are of each team.
	if got, want := counts(focus.Options{Tags: []string{"team"}}), []string{"10 1", "10 1", "10 1", "10 1", "10 1", "10 1", "20 2", "20 2"}; !slices.Equal(got, want) {
		t.Errorf("by team: quantities and charges %v, want %v", got, want)
	}
	for _, record := range export(t, r, focus.Options{}, f).read(t, focus.CostAndUsageFile).records {
		tags := `{"customer":"c1"}`
		if record["x_ChargeCount"] == "1" || record["ChargeCategory"] != "Usage" {
			continue
		}
		if record["Tags"] != tags || record["x_FirstSessionId"] != "session 0" || record["x_FirstFrameLink"] != "/sessions/session%200?t="+f.rows[0].Position {
			t.Errorf("tags %s, first frame %s, want %s and that of the first row", record["Tags"], record["x_FirstFrameLink"], tags)
		}
	}
}

// Columns are those that are asked for, in their order, with the same values.
func TestColumns(t *testing.T) {
	f := fixtures(t)[0]
	r := open(t, f)
	whole := export(t, r, focus.Options{}, f).read(t, focus.CostAndUsageFile)
	some := export(t, r, focus.Options{Columns: []string{"x_UnitName", "BilledCost", "ChargePeriodStart"}}, f).read(t, focus.CostAndUsageFile)
	if want := []string{"BilledCost", "ChargePeriodStart", "x_UnitName"}; !slices.Equal(some.columns, want) {
		t.Errorf("columns %v, want %v", some.columns, want)
	}
	if len(whole.records) == 0 || len(some.records) != len(whole.records) {
		t.Fatalf("%d rows, and %d in the whole export", len(some.records), len(whole.records))
	}
	for i, record := range some.records {
		for _, c := range some.columns {
			if record[c] != whole.records[i][c] {
				t.Fatalf("row %d: %s is %q, and %q in the whole export", i, c, record[c], whole.records[i][c])
			}
		}
	}
	err := focus.Check(focus.Options{Columns: []string{"BilledCosts"}})
	if err == nil || !strings.Contains(err.Error(), `"BilledCosts"`) {
		t.Errorf("error %v, want one that names the column", err)
	}
	if err := focus.Check(focus.Options{Version: "1.3"}); err == nil || !strings.Contains(err.Error(), `"1.3"`) {
		t.Errorf("error %v, want one that names the version", err)
	}
}

// An export of closed bills is the same each time, and one of an open period is refused.
func TestRepeated(t *testing.T) {
	all := fixtures(t)
	r := open(t, all...)
	before, after := export(t, r, focus.Options{}, all...), export(t, r, focus.Options{}, all...)
	for name, f := range before {
		if name != focus.MetadataFile && !bytes.Equal(f.Bytes(), after[name].Bytes()) {
			t.Errorf("%s differs", name)
		}
	}
	preview := newFixture(t, "tenant", "2026-12", "UTC", "USD", 2)
	preview.ClosedAt = nil
	err := focus.Export(t.Context(), r, &focus.Source{Bills: []*bills.Bill{preview.Bill}}, focus.Options{Tenant: querytest.Tenant}, memory{})
	if err == nil || !strings.Contains(err.Error(), "2026-12 is not closed") {
		t.Errorf("error %v, want that the period is not closed", err)
	}
}
