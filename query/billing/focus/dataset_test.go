package focus_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/big"
	"testing"

	"tapedeck/query/billing/focus"
)

// memory keeps the files of an export.
type memory map[string]*file

type file struct{ bytes.Buffer }

func (f *file) Close() error { return nil }

func (m memory) Create(name string) (io.WriteCloser, error) {
	if m[name] != nil {
		return nil, fmt.Errorf("%s is written twice", name)
	}
	m[name] = &file{}
	return m[name], nil
}

// dataset is a file of an export.
type dataset struct {
	columns []string
	records []record
}

// read reads a file of an export. Line ends in cells are those that encoding/csv makes.
func (m memory) read(t testing.TB, name string) dataset {
	t.Helper()
	f := m[name]
	if f == nil {
		t.Fatalf("there is no file %s", name)
	}
	lines, err := csv.NewReader(bytes.NewReader(f.Bytes())).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	d := dataset{columns: lines[0]}
	for _, line := range lines[1:] {
		r := record{}
		for i, c := range d.columns {
			r[c] = line[i]
		}
		d.records = append(d.records, r)
	}
	return d
}

// check returns what is wrong with a dataset: columns, values, and relations of columns.
func (d dataset) check(table []requirement, relations []relation, in versions) []string {
	wrong := checkColumns(d.columns, table, in)
	for i, r := range d.records {
		found := checkValues(r, table, in)
		for _, relation := range relations {
			if w := relation.wrong(r); w != "" {
				found = append(found, fmt.Sprintf("%s: %s (%s)", relation.name, w, relation.source))
			}
		}
		for _, w := range found {
			wrong = append(wrong, fmt.Sprintf("row %d: %s", i+1, w))
		}
	}
	return wrong
}

// checkExport returns what is wrong with an export of bills as a whole.
func checkExport(t testing.TB, m memory, bills []*fixture, in versions) []string {
	costs := m.read(t, focus.CostAndUsageFile)
	wrong := costs.check(costAndUsage, costAndUsageRelations, in)
	wrong = append(wrong, functions(costs.records)...)
	wrong = append(wrong, payable(costs.records, bills)...)
	if in == only14 {
		details, periods := m.read(t, focus.InvoiceDetailFile), m.read(t, focus.BillingPeriodFile)
		wrong = append(wrong, details.check(invoiceDetail, invoiceDetailRelations, in)...)
		wrong = append(wrong, periods.check(billingPeriod, billingPeriodRelations, in)...)
		wrong = append(wrong, joins(costs.records, details.records, periods.records, bills)...)
	}
	return wrong
}

// functions checks columns that have one value for each value of another.
func functions(records []record) (wrong []string) {
	for _, f := range []struct{ of, has, source string }{
		{"SkuPriceId", "SkuId", "skupriceid.md"},
		{"SkuId", "SkuMeter", "skumeter.md"},
		{"ServiceName", "ServiceCategory", "servicename.md"},
		{"ServiceName", "ServiceSubcategory", "servicename.md"},
		{"ServiceSubcategory", "ServiceCategory", "servicesubcategory.md"},
		{"InvoiceId", "BillingAccountId", "invoiceid.md"},
		{"BillingAccountId", "BillingAccountName", "billingaccountid.md"},
		{"SkuPriceId", "SkuPriceDetails", "skupricedetails.md"},
	} {
		seen := map[string]string{}
		for _, r := range records {
			if r[f.of] == "" {
				continue
			}
			if before, ok := seen[r[f.of]]; ok && before != r[f.has] {
				wrong = append(wrong, fmt.Sprintf("%s %s has %s %q and %q (%s)", f.of, r[f.of], f.has, before, r[f.has], f.source))
			}
			seen[r[f.of]] = r[f.has]
		}
	}
	return wrong
}

// payable checks that the costs of an invoice are its total, and those of its usage the
// exact cost (billedcost.md).
func payable(records []record, bills []*fixture) (wrong []string) {
	all, exact := map[string]*big.Rat{}, map[string]*big.Rat{}
	for _, r := range records {
		add(all, r["InvoiceId"], r["BilledCost"])
		if r["ChargeCategory"] == "Usage" {
			add(exact, r["InvoiceId"], r["BilledCost"])
		}
	}
	for _, b := range bills {
		for _, c := range []struct {
			what string
			got  *big.Rat
			want string
		}{{"total", all[b.Number], b.Total.String()}, {"exact cost", exact[b.Number], b.BilledCost.String()}} {
			if got := or0(c.got); got.Cmp(rat(c.want)) != 0 {
				wrong = append(wrong, fmt.Sprintf("the costs of %s are %s, and its %s is %s", b.Number, got.FloatString(20), c.what, c.want))
			}
		}
	}
	return wrong
}

// joins checks what datasets require of one another: datasets/invoice_detail/dataset.md and
// columns/billedcost.md, invoicedetailcreated.md, referenceinvoiceid.md.
func joins(costs, details, periods []record, bills []*fixture) (wrong []string) {
	numbers := map[string]bool{}
	subunit := map[string]float64{}
	for _, b := range bills {
		numbers[b.Number] = true
		for _, n := range b.numbers {
			numbers[n] = true
		}
		subunit[b.Number] = math.Pow10(-int(b.MinorUnits))
	}
	period := map[string]record{}
	for _, p := range periods {
		key := p["BillingPeriodStart"] + p["InvoiceIssuerName"]
		if period[key] != nil {
			wrong = append(wrong, "two periods start at "+key)
		}
		period[key] = p
	}
	lines := map[string]record{}
	for _, d := range details {
		key := d["InvoiceId"] + "\n" + d["InvoiceDetailId"]
		if lines[key] != nil {
			wrong = append(wrong, "two lines are "+key)
		}
		lines[key] = d
		p := period[d["BillingPeriodStart"]+d["InvoiceIssuerName"]]
		if p == nil || p["BillingPeriodEnd"] != d["BillingPeriodEnd"] || d["InvoiceDetailCreated"] > p["BillingPeriodLastUpdated"] {
			wrong = append(wrong, fmt.Sprintf("line %s has the period %v", key, p))
		}
		if !numbers[d["ReferenceInvoiceId"]] {
			wrong = append(wrong, fmt.Sprintf("line %s refers to %q", key, d["ReferenceInvoiceId"]))
		}
	}
	sums, counts := map[string]*big.Rat{}, map[string]int{}
	for _, r := range costs {
		key := r["InvoiceId"] + "\n" + r["InvoiceDetailId"]
		add(sums, key, r["BilledCost"])
		counts[key]++
		d := lines[key]
		if d == nil {
			wrong = append(wrong, "no line is "+key)
			continue
		}
		if p := period[r["BillingPeriodStart"]+r["InvoiceIssuerName"]]; p == nil || p["BillingPeriodEnd"] != r["BillingPeriodEnd"] {
			wrong = append(wrong, fmt.Sprintf("a charge of %s has the period %v", key, p))
		}
		reference := cmp.Or(r["x_CorrectedInvoiceId"], r["InvoiceId"])
		if r["ChargeCategory"] == "Usage" && d["ReferenceInvoiceId"] != reference {
			wrong = append(wrong, fmt.Sprintf("a charge of %s is in a line that refers to %s", reference, d["ReferenceInvoiceId"]))
		}
	}
	for key, d := range lines {
		// appendix/rounding_variance_tolerance: a bound that allows more than what holds here.
		unit := subunit[d["InvoiceId"]]
		allowed := math.Max(100*unit, math.Sqrt(float64(counts[key]))*0.5*unit)
		difference, _ := new(big.Rat).Sub(or0(sums[key]), rat(d["BilledCost"])).Float64()
		if math.Abs(difference) > allowed || difference != 0 {
			wrong = append(wrong, fmt.Sprintf("line %s is %s, and its charges are %s", key, d["BilledCost"], or0(sums[key]).FloatString(20)))
		}
	}
	return wrong
}

func add(sums map[string]*big.Rat, key, amount string) {
	sums[key] = new(big.Rat).Add(or0(sums[key]), rat(amount))
}

func or0(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}
