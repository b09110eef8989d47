package knownrecordings

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/apiclient"
	"tapedeck/query/billing/reconcile/providerexport"
	"tapedeck/query/pricing/cost"
)

// Usage queries the server for the usage on the days of an export.
func Usage(ctx context.Context, cl *apiclient.Client, e *providerexport.Export) ([]providerexport.Recorded, error) {
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
			Tokens   cost.Tokens     `json:"tokens"`
			Cost     json.RawMessage `json:"cost"`
			Unpriced uint64          `json:"unpriced_calls"`
		} `json:"items"`
	}
	q := url.Values{
		"from": {e.From}, "to": {last.AddDate(0, 0, 1).Format(time.DateOnly)}, "timezone": {"UTC"},
		"granularity": {"day"}, "group_by": {"provider,model"},
	}
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

// costOf reads a cost in a report: an amount in US dollars, or an object with amount and currency.
// It returns nil if the cost is unknown. It returns an error if the currency differs from the
// export's currency; an export without a currency accepts any.
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
		return nil, fmt.Errorf("costs are recorded in %s and exported in %s: they are not comparable", money.Currency,
			currency)
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
