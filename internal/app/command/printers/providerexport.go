package printers

import (
	"fmt"
	"io"
	"strings"

	"github.com/shopspring/decimal"

	"tapedeck/internal/console"
	"tapedeck/query/billing/reconcile/providerexport"
)

// ProviderComparison writes a comparison with a provider's export: the sums, and up to limit
// figures. Equal figures are listed if all is set.
func ProviderComparison(out io.Writer, c *providerexport.Comparison, limit int, all bool) error {
	w := console.To(out)
	fmt.Fprintf(w, "%s, %s to %s (UTC): %s\n", c.Format, c.From, c.To, console.Count(c.Rows, "row"))
	if c.HasMore {
		fmt.Fprintf(w, "The last page says that more follow: the export is not whole.\n")
	}
	if !c.ByModel {
		fmt.Fprintf(w, "It names no models: whole days are compared.\n")
	}
	t := console.NewTable(out, "day", "model", "bucket", "recorded", "exported", "difference", "state")
	shown, left := 0, 0
	for _, i := range c.Items {
		if i.State == providerexport.Equal && !all {
			continue
		}
		if shown == limit {
			left++
			continue
		}
		shown++
		t.Row(i.Day, console.Clip(textOr(i.Model, "(none)"), 40), i.Bucket, figure(i.Recorded), i.Exported,
			figure(i.Difference), stateOf(&i))
	}
	for _, s := range c.Sums {
		t.Row("TOTAL", "", s.Bucket, figure(s.Recorded), s.Exported, figure(s.Difference), "")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(w, "%s more: --limit lists more of them, --json all.\n", console.Thousands(left))
	}
	for _, u := range c.Unattributed {
		fmt.Fprintf(w, "Not compared, since no provider is recorded: %s of %s, %s tokens.\n",
			console.Count(u.Calls, "call"), textOr(u.Model, "no known model"), console.Thousands(u.Tokens))
	}
	fmt.Fprintf(w, "%s equal, %s differ, %s only recorded, %s only exported.\n",
		console.Thousands(c.States[providerexport.Equal]),
		console.Thousands(c.States[providerexport.Differs]), console.Thousands(c.States[providerexport.OnlyRecorded]),
		console.Thousands(c.States[providerexport.OnlyExported]))
	return nil
}

func stateOf(i *providerexport.Item) string {
	state := strings.ReplaceAll(string(i.State), "_", " ")
	if i.UnpricedCalls > 0 {
		state += fmt.Sprintf(", %s without a price", console.Count(i.UnpricedCalls, "call"))
	}
	return state
}

func figure(d *decimal.Decimal) string {
	if d == nil {
		return "–"
	}
	return d.String()
}
