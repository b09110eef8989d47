package report

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/billing/charges"
	"tapedeck/tools/systemtest/commands/commandtest"
)

var exampleBlock = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")

// TestBillingExample runs the commands of the worked example of docs/billing.md on its files,
// computes its table from the list prices and factors, and compares both with the page.
func TestBillingExample(t *testing.T) {
	fulltest.Long(t)
	page, err := os.ReadFile("../../../../docs/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## A worked example\n")
	text, _, _ = strings.Cut(text, "\n## ")
	blocks := map[string]string{}
	for _, m := range exampleBlock.FindAllStringSubmatch(text, -1) {
		blocks[m[1]] = m[2]
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"session.jsonl": blocks["json"], "prices.yaml": blocks["yaml"]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	s := commandtest.Shared(t)
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	outputs := map[string]string{} // by the first two words
	for line := range strings.Lines(blocks["console"]) {
		args := strings.Fields(strings.TrimPrefix(line, "tapedeck "))
		for i, arg := range args {
			if arg == "session.jsonl" || arg == "prices.yaml" {
				args[i] = filepath.Join(dir, arg)
			}
		}
		outputs[args[0]+" "+args[1]] = s.Must(t, args...)
	}
	commandtest.Contains(t, "bills verify", outputs["bills verify"], "ACME-000001 equal", "frames of 1 of 1 sessions")

	var list struct{ Items []charges.Charge }
	if err := json.Unmarshal([]byte(outputs["usage --calls"]), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%d charges: %v", len(list.Items), err)
	}
	charge := list.Items[0]
	table := exampleTable(t, text)
	if len(table) != len(charge.Lines) || len(table) == 0 {
		t.Fatalf("the table has %d units, the charge %d", len(table), len(charge.Lines))
	}
	lines := map[string]charges.Line{}
	for _, line := range charge.Lines {
		lines["`"+string(line.Unit)+"`"] = line
	}
	total, exact := new(big.Rat), new(big.Rat)
	for _, row := range table {
		price := product(t, row["list, USD"], row["overlay"], row["rate"], row["discount"], row["margin"])
		cost := product(t, row["quantity"], row["price, EUR"])
		cost.Quo(cost, product(t, row["for"]))
		line := halfEven(cost)
		if price.Cmp(product(t, row["price, EUR"])) != 0 || cost.Cmp(product(t, row["cost, EUR"])) != 0 || line.Cmp(product(t, row["line, EUR"])) != 0 {
			t.Errorf("%s: computed %s, %s, %s; the page says %v", row["unit"], price.FloatString(10), cost.FloatString(10), line.FloatString(2), row)
		}
		total.Add(total, line)
		exact.Add(exact, cost)
		got := lines[row["unit"]]
		if got.Quantity.String() != row["quantity"] || got.Price.String() != row["price, EUR"] || got.Cost.String() != row["cost, EUR"] {
			t.Errorf("the charge has %+v, the page says %v", got, row)
		}
		commandtest.Contains(t, "bills close", strings.Join(strings.Fields(outputs["bills close"]), " "),
			strings.Join([]string{strings.Trim(row["unit"], "`"), row["quantity"], row["cost, EUR"], row["line, EUR"]}, " "))
	}
	commandtest.Contains(t, "bills close", outputs["bills close"], strings.TrimSpace(blocks["text"]))
	residual := new(big.Rat).Sub(total, exact)
	if want := "total " + total.FloatString(2) + " EUR (exact " + exact.FloatString(10) + ", residual " + residual.FloatString(10) + ")\n"; blocks["text"] != want {
		t.Errorf("computed %s, the page says %s", want, blocks["text"])
	}
}

// exampleTable reads the rows of the table in a text, by the names of the columns.
func exampleTable(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	var names []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|\n"), "|")
		row := map[string]string{}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
			if names != nil {
				row[names[i]] = cells[i]
			}
		}
		if names == nil {
			names = cells
		} else {
			rows = append(rows, row)
		}
	}
	return rows
}

// product multiplies decimal numbers.
func product(t *testing.T, factors ...string) *big.Rat {
	t.Helper()
	p := big.NewRat(1, 1)
	for _, f := range factors {
		r, ok := new(big.Rat).SetString(f)
		if !ok {
			t.Fatalf("%q is no number", f)
		}
		p.Mul(p, r)
	}
	return p
}

// halfEven rounds an amount, which is not negative, to cents.
func halfEven(amount *big.Rat) *big.Rat {
	cents := new(big.Rat).Mul(amount, big.NewRat(100, 1))
	whole, rest := new(big.Int).QuoRem(cents.Num(), cents.Denom(), new(big.Int))
	switch twice := rest.Lsh(rest, 1).Cmp(cents.Denom()); {
	case twice > 0, twice == 0 && whole.Bit(0) == 1:
		whole.Add(whole, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(whole, big.NewInt(100))
}
