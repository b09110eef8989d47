package focus_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/focus"
	"tapedeck/query/querytest"
)

// fixtures are bills with usage of all kinds.
func fixtures(t testing.TB) []*fixture {
	random := rand.New(rand.NewPCG(1, 2))

	october := newFixture(t, "tenant", "2026-10", "Europe/London", "GBP", 2) // a day of 25 hours
	october.usage(random, 300)
	tool := october.row(october.Start.Add(time.Hour), "anthropic", "claude-opus-4-5", "web_searches", 7, "10", "10", "12")
	tool.Per = 1000
	for _, cost := range []*decimal.NullDecimal{&tool.ListCost, &tool.ContractedCost, &tool.BilledCost} {
		cost.Decimal = cost.Decimal.Shift(3)
	}

	november := newFixture(t, "tenant", "2026-11", "Europe/London", "GBP", 2)
	november.numbers = map[string]string{"2026-10": october.Number, "2026-11": november.Number}
	november.usage(random, 100)
	correct := func(at time.Time, quantity int64, price string, why bills.Why) {
		r := november.row(at, "openai", "gpt-5", "input_tokens", quantity, price, price, price)
		r.Class, r.Note = bills.Correction, why
	}
	correct(october.Start.Add(30*time.Hour), 1234, "1.25", bills.Late)
	correct(october.Start.Add(31*time.Hour), -500, "1.25", bills.Repriced) // one at another price
	correct(october.Start.Add(31*time.Hour), 500, "1.5", bills.Repriced)
	correct(october.Start.Add(31*time.Hour), 700, "1.5", bills.Repriced) // a second of the same group
	correct(october.Start.Add(-40*time.Hour), 9, "1.25", bills.MovedIn)  // the account has no bill of September

	kathmandu := newFixture(t, "customer=c1", "2026-10", "Asia/Kathmandu", "JPY", 0)
	kathmandu.usage(random, 200)
	for range 40 { // usage without a price
		kathmandu.row(kathmandu.Start.Add(time.Duration(random.Int64N(int64(20*24*time.Hour)))), "", []string{"", "mystery"}[random.IntN(2)], "input_tokens", random.Int64N(99), "", "", "")
	}

	empty := newFixture(t, "customer=nothing", "2026-10", "Pacific/Apia", "USD", 2)

	hostile := newFixture(t, "customer=\"a,b\"\n=1+1", "2026-10", "America/St_Johns", "KWD", 3)
	hostile.AccountName = " \t"
	for i, text := range []string{"a,b", "\"quoted\"", "two\nlines", "=1+1", "\xff\xfe", "日本語/模型", "'; DROP TABLE bills; --", "<script>", "a\x00b", strings.Repeat("long", 500)} {
		r := hostile.row(hostile.Start.Add(time.Duration(i)*time.Hour), text, text, "output_tokens", int64(i), "0.000000000000001", "1", "1")
		r.ServiceTier, r.Speed, r.Region, r.SessionID = text, text, text, text
		r.Rules = []string{text, text}
		r.Tags = map[string]string{text: text, "customer": text, "": ""}
	}
	list := []*fixture{october, november, kathmandu, empty, hostile}
	for _, f := range list {
		f.total()
	}
	return list
}

func open(t *testing.T, list ...*fixture) *query.Reader {
	db := querytest.New(t)
	store(t, db, list...)
	return query.NewReader(db.Conn)
}

func export(t testing.TB, r *query.Reader, o focus.Options, list ...*fixture) memory {
	t.Helper()
	o.Tenant = querytest.Tenant
	source, m := &focus.Source{Numbers: map[string]map[string]string{}}, memory{}
	for _, f := range list {
		source.Bills = append(source.Bills, f.Bill)
		source.Numbers[f.Account] = f.numbers
	}
	if err := focus.Export(t.Context(), r, source, o, m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestExportsMeetTheRequirements(t *testing.T) {
	all := fixtures(t)
	r := open(t, all...)
	cases := map[string]struct {
		options focus.Options
		bills   []*fixture
	}{
		"all bills":           {focus.Options{Issuer: "ACME, Inc.", PaymentTerms: "Net 30", Link: "https://tapedeck.example/"}, all},
		"corrections":         {focus.Options{}, all[1:2]},
		"an account's months": {focus.Options{}, all[:2]},
		"no usage":            {focus.Options{}, all[3:4]},
		"hostile names":       {focus.Options{SubAccount: "customer"}, all[4:]},
		"by tags":             {focus.Options{Tags: []string{"team"}, SubAccount: "customer"}, all[:1]},
		"no bill":             {focus.Options{}, nil},
	}
	for name, c := range cases {
		for version, in := range map[focus.Version]versions{focus.V12: only12, focus.V14: only14} {
			t.Run(name+" "+string(version), func(t *testing.T) {
				c.options.Version = version
				m := export(t, r, c.options, c.bills...)
				report(t, checkExport(t, m, c.bills, in))
				report(t, checkMetadata(t, m, version))
				for _, file := range []string{focus.BillingPeriodFile, focus.InvoiceDetailFile} {
					if got := m[file] != nil; got != (version == focus.V14) {
						t.Errorf("%s is there: %t", file, got)
					}
				}
			})
		}
	}
}

func report(t *testing.T, wrong []string) {
	t.Helper()
	for i, w := range wrong {
		if i == 30 {
			t.Fatalf("and %d more", len(wrong)-i)
		}
		t.Error(w)
	}
}

// The requirements find what is planted.
func TestRequirementsFindFaults(t *testing.T) {
	all := fixtures(t)
	r := open(t, all[1])
	m := export(t, r, focus.Options{}, all[1])
	good := func() dataset { return m.read(t, focus.CostAndUsageFile) }
	plant := map[string]func(d *dataset, r record){
		"null cost":             func(_ *dataset, r record) { r["BilledCost"] = "" },
		"exponent":              func(_ *dataset, r record) { r["BilledCost"] = "1e3" },
		"plus":                  func(_ *dataset, r record) { r["ListCost"] = "+1" },
		"cost that is no price": func(_ *dataset, r record) { r["ListCost"] = "0.0000001" },
		"effective cost":        func(_ *dataset, r record) { r["EffectiveCost"] = "77" },
		"local time":            func(_ *dataset, r record) { r["ChargePeriodStart"] = "2026-11-01T00:00:00+01:00" },
		"category":              func(_ *dataset, r record) { r["ChargeCategory"] = "usage" },
		"class":                 func(_ *dataset, r record) { r["ChargeClass"] = "correction" },
		"placeholder currency":  func(_ *dataset, r record) { r["BillingCurrency"] = "euro" },
		"unit":                  func(_ *dataset, r record) { r["PricingUnit"] = "mtok" },
		"no quantity":           func(_ *dataset, r record) { r["PricingQuantity"] = "" },
		"tags":                  func(_ *dataset, r record) { r["Tags"] = `{"a":{"b":1}}` },
		"two keys":              func(_ *dataset, r record) { r["Tags"] = `{"a":1,"a":2}` },
		"late charge":           func(_ *dataset, r record) { r["ChargePeriodEnd"] = "2027-01-01T00:00:00Z" },
		"missing column":        func(d *dataset, _ record) { d.columns = slices.Delete(d.columns, 0, 1) },
		"unknown column":        func(d *dataset, _ record) { d.columns = append(d.columns, "Zebra") },
		"order":                 func(d *dataset, _ record) { slices.Reverse(d.columns) },
	}
	if wrong := good().check(costAndUsage, costAndUsageRelations, only14); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for name, change := range plant {
		d := good()
		change(&d, d.records[len(d.records)/2])
		if wrong := d.check(costAndUsage, costAndUsageRelations, only14); len(wrong) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}

// checkMetadata returns what is wrong with the metadata: metadata/ of the specification.
func checkMetadata(t *testing.T, m memory, version focus.Version) (wrong []string) {
	var meta struct {
		DataGenerator   struct{ DataGenerator string }
		DatasetInstance []struct {
			DatasetInstanceId, FocusDatasetId string
			File                              string `json:"x_File"`
		}
		Recency []struct{ DatasetInstanceId string }
		Schema  []struct {
			SchemaId, DatasetInstanceId, FocusVersion, CreationDate string
			File                                                    string `json:"x_File"`
			ColumnDefinition                                        []struct{ ColumnName, DataType string }
		}
		Unpriced struct {
			File string
			Rows int
		} `json:"x_UnpricedUsage"`
		Configuration struct{ Columns []string } `json:"x_Configuration"`
	}
	if err := json.Unmarshal(m[focus.MetadataFile].Bytes(), &meta); err != nil {
		return []string{err.Error()}
	}
	if meta.DataGenerator.DataGenerator == "" {
		wrong = append(wrong, "no DataGenerator")
	}
	want := map[string]string{"CostAndUsage": focus.CostAndUsageFile, "BillingPeriod": focus.BillingPeriodFile, "InvoiceDetail": focus.InvoiceDetailFile}
	instances := map[string]string{}
	for i, d := range meta.DatasetInstance {
		if want[d.FocusDatasetId] != d.File || instances[d.DatasetInstanceId] != "" {
			wrong = append(wrong, "instance "+d.FocusDatasetId+" has the file "+d.File)
		}
		instances[d.DatasetInstanceId] = d.File
		if meta.Recency[i].DatasetInstanceId != d.DatasetInstanceId {
			wrong = append(wrong, "no recency of "+d.FocusDatasetId)
		}
	}
	datasets := 1
	if version == focus.V14 {
		datasets = 3
	}
	if len(meta.Schema) != datasets || version == focus.V14 && len(instances) != datasets {
		wrong = append(wrong, "datasets are missing")
	}
	for _, s := range meta.Schema {
		columns := []string{}
		for _, c := range s.ColumnDefinition {
			columns = append(columns, c.ColumnName)
			if c.DataType == "" {
				wrong = append(wrong, c.ColumnName+" has no data type")
			}
		}
		if s.SchemaId == "" || s.FocusVersion != string(version) || s.CreationDate == "" || version == focus.V14 && instances[s.DatasetInstanceId] != s.File {
			wrong = append(wrong, "schema of "+s.File)
		}
		if got := m.read(t, s.File).columns; !slices.Equal(columns, got) {
			wrong = append(wrong, s.File+" has other columns than its schema")
		}
	}
	if meta.Unpriced.File != focus.UnpricedFile || meta.Unpriced.Rows != len(m.read(t, focus.UnpricedFile).records) {
		wrong = append(wrong, "the file of usage without a price is not named")
	}
	if !slices.Equal(meta.Configuration.Columns, m.read(t, focus.CostAndUsageFile).columns) {
		wrong = append(wrong, "the configuration has other columns")
	}
	return wrong
}
