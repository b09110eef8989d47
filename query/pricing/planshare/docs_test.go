package planshare_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"tapedeck/query/pricing/cost"
)

// TestDocumentedExample divides the price of the plan of docs/billing.md over calls with the list costs of its
// example: a million tokens of gpt-5 are 1.25 dollars.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../../docs/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Plans\n")
	text, _, _ = strings.Cut(text, "\n## ")
	_, file, _ := strings.Cut(text, "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	w := newWorld(t, file)
	millions := map[string]int64{"12.5": 10, "25": 20, "7.5": 6}
	rows := regexp.MustCompile(`(?m)^\| ([A-C]) \| ([0-9.]+) \| .* \| ([0-9.]+) \|$`).FindAllStringSubmatch(text, -1)
	if len(rows) != 3 {
		t.Fatalf("the example has %d rows", len(rows))
	}
	var cells []*cost.Cell
	for _, row := range rows {
		c := cell(t, "2026-03-10T00:00:00Z", "gpt-5", "max", millions[row[2]])
		w.Count(w.list, c)
		cells = append(cells, c)
	}
	for i, row := range rows {
		if got := w.Share(w.list, cells[i]); got.Text() != row[3] {
			t.Errorf("session %s: %s, expected %s", row[1], got.Text(), row[3])
		}
	}
	w = newWorld(t, file)
	for _, c := range cells {
		w.Count(w.list, c)
	}
	part := cost.Sum(w.Share(w.list, cells[0]), w.Share(w.list, cells[2])).Text()
	if part != "88.888888888889" || !strings.Contains(text, "= "+part+" of the plan") {
		t.Errorf("A and C: %s", part)
	}
}
