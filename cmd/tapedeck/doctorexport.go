package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query"
	"tapedeck/query/reconcile/providerexport"
)

// exportFlags name a provider's export.
type exportFlags struct {
	Export   string   `help:"A usage or cost export of OpenAI or Anthropic, CSV or JSON, to compare with." placeholder:"FILE"`
	Provider string   `help:"Whose export it must be: openai or anthropic." placeholder:"NAME"`
	Ignore   []string `help:"Field of the export to leave out, where it is not known." placeholder:"FIELD"`
	All      bool     `help:"List equal figures of the export as well."`
}

// compare prints the comparison of an export. It fails if any figure differs.
func (f *exportFlags) compare(ctx context.Context, g *global, limit int) error {
	if f.Provider != "" && !slices.Contains(providerexport.Providers, f.Provider) {
		return usage.Errorf("--provider %q: it must be %s", f.Provider, strings.Join(providerexport.Providers, " or "))
	}
	e, err := f.read()
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	recorded, err := recordedUsage(ctx, cl, e)
	if err != nil {
		return err
	}
	c := providerexport.Compare(e, recorded)
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(c)
	} else {
		err = f.print(c, limit)
	}
	if err == nil && c.Differing() > 0 {
		return exitCode(exitFailed)
	}
	return err
}

func (f *exportFlags) read() (*providerexport.Export, error) {
	file, err := os.Open(f.Export)
	if err != nil {
		return nil, fmt.Errorf("open the export: %w", err)
	}
	defer file.Close()
	e, err := providerexport.Read(file, providerexport.Options{Provider: f.Provider, Ignore: f.Ignore})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Export, err)
	}
	return e, nil
}

// recordedUsage asks the server for the usage of the export's days.
func recordedUsage(ctx context.Context, cl *apiclient.Client, e *providerexport.Export) ([]providerexport.Recorded, error) {
	last, err := time.Parse(time.DateOnly, e.To)
	if err != nil {
		return nil, err
	}
	var report struct {
		Items []struct {
			Period   string          `json:"period"`
			Provider *string         `json:"provider"`
			Model    *string         `json:"model"`
			Calls    uint64          `json:"calls"`
			Tokens   query.Tokens    `json:"tokens"`
			Cost     json.RawMessage `json:"cost"`
			Unpriced uint64          `json:"unpriced_calls"`
		} `json:"items"`
	}
	q := url.Values{}
	setAll(q, map[string][]string{
		"from": {e.From}, "to": {last.AddDate(0, 0, 1).Format(time.DateOnly)}, "timezone": {"UTC"},
		"granularity": {"day"}, "group_by": {"provider,model"},
	})
	if err := cl.Get(ctx, "v1/usage", q, &report); err != nil {
		return nil, err
	}
	list := make([]providerexport.Recorded, len(report.Items))
	for i, item := range report.Items {
		list[i] = providerexport.Recorded{
			Day: item.Period, Provider: textOr(item.Provider, ""), Model: textOr(item.Model, ""),
			Calls: item.Calls, Tokens: item.Tokens, Unpriced: item.Unpriced,
		}
		if list[i].Cost, err = costOf(item.Cost, e.Currency); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// costOf reads a cost of a report: an amount in US dollars, or an object of amount and
// currency; nil if it is not known. The error is that of a cost in another currency than the
// export's, unless that has none.
func costOf(text json.RawMessage, currency string) (*decimal.Decimal, error) {
	money := struct {
		Amount   json.RawMessage `json:"amount"`
		Currency string          `json:"currency"`
	}{text, "USD"}
	if strings.HasPrefix(string(text), "{") {
		if err := json.Unmarshal(text, &money); err != nil {
			return nil, fmt.Errorf("read the cost %s: %w", text, err)
		}
	}
	if len(money.Amount) == 0 || string(money.Amount) == "null" {
		return nil, nil
	}
	if currency != "" && currency != money.Currency {
		return nil, fmt.Errorf("costs are recorded in %s and exported in %s: they are not comparable", money.Currency, currency)
	}
	d, err := decimal.NewFromString(strings.Trim(string(money.Amount), `"`))
	if err != nil {
		return nil, fmt.Errorf("read the cost %s: %w", text, err)
	}
	return &d, nil
}

func textOr(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// print writes the sums, and the figures that are not equal.
func (f *exportFlags) print(c *providerexport.Comparison, limit int) error {
	w := console.To(os.Stdout)
	fmt.Fprintf(w, "%s, %s to %s (UTC): %s\n", c.Format, c.From, c.To, console.Count(c.Rows, "row"))
	if c.HasMore {
		fmt.Fprintf(w, "The last page says that more follow: the export is not whole.\n")
	}
	if !c.ByModel {
		fmt.Fprintf(w, "It names no models: whole days are compared.\n")
	}
	t := console.NewTable(os.Stdout, "day", "model", "bucket", "recorded", "exported", "difference", "state")
	shown, left := 0, 0
	for _, i := range c.Items {
		if i.State == providerexport.Equal && !f.All {
			continue
		}
		if shown == limit {
			left++
			continue
		}
		shown++
		t.Row(i.Day, console.Clip(textOr(i.Model, "(none)"), 40), i.Bucket, figure(i.Recorded), i.Exported, figure(i.Difference), stateOf(&i))
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
	fmt.Fprintf(w, "%s equal, %s differ, %s only recorded, %s only exported.\n", console.Thousands(c.States[providerexport.Equal]),
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
