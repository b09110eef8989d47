package bench

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/schema"
	"tapedeck/tools/bench/dataset"
)

// usageAnswer holds the members of a usage report that are compared.
type usageAnswer struct {
	Items  []usageRow `json:"items"`
	Totals usageRow   `json:"totals"`
}

type usageRow struct {
	Period   string `json:"period"`
	Model    string `json:"model"`
	Team     string `json:"tag:team"`
	Customer string `json:"tag:customer"`
	Calls    uint64 `json:"calls"`
	Tokens   struct {
		Input     uint64 `json:"input"`
		CacheRead uint64 `json:"cache_read"`
		Output    uint64 `json:"output"`
		Reasoning uint64 `json:"reasoning"`
	} `json:"tokens"`
	Cost     *money `json:"cost"`
	Unpriced uint64 `json:"unpriced_calls"`
}

// money is a cost.
type money struct {
	Amount decimal.Decimal `json:"amount"`
}

// amount returns the amount, 0 for nil.
func (m *money) amount() decimal.Decimal {
	if m == nil {
		return decimal.Decimal{}
	}
	return m.Amount
}

// sum returns the row's figures.
func (r *usageRow) sum() dataset.Sum {
	return dataset.Sum{Calls: r.Calls, Cost: r.Cost.amount(), Tokens: schema.Tokens{
		Input: r.Tokens.Input, CacheRead: r.Tokens.CacheRead, Output: r.Tokens.Output, Reasoning: r.Tokens.Reasoning,
	}}
}

// same compares the figures of a row with the data set.
func same(what string, got *usageRow, want dataset.Sum) error {
	is := got.sum()
	if is.Calls != want.Calls || is.Tokens != want.Tokens || !is.Cost.Equal(want.Cost) || got.Unpriced != 0 {
		return fmt.Errorf("%s: %+v, unpriced %d; the data set has %+v", what, is, got.Unpriced, want)
	}
	return nil
}

// checkDays compares a report by day, model and team with the data set.
func checkDays(s *scale, path string, body []byte) error {
	address, err := url.Parse(path)
	if err != nil {
		return err
	}
	from, to := address.Query().Get("from")[:len(time.DateOnly)], address.Query().Get("to")[:len(time.DateOnly)]
	return checkRows(body, s.expected.ByDay, func(k dataset.Key) bool { return k.Period >= from && k.Period < to },
		func(r *usageRow) dataset.Key { return dataset.Key{Period: r.Period, Tag: r.Team, Model: r.Model} })
}

// checkMonths compares a report on the year by month, customer and model with the data set.
func checkMonths(s *scale, _ string, body []byte) error {
	year := dataset.End.Format("2006-01")
	return checkRows(body, s.expected.ByMonth, func(k dataset.Key) bool { return k.Period < year },
		func(r *usageRow) dataset.Key { return dataset.Key{Period: r.Period, Tag: r.Customer, Model: r.Model} })
}

// checkRows compares the rows of a report, and its totals, with the sums that wanted selects.
func checkRows(body []byte, sums map[dataset.Key]*dataset.Sum, wanted func(dataset.Key) bool, key func(*usageRow) dataset.Key) error {
	var a usageAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	var total dataset.Sum
	rows := 0
	for k, sum := range sums {
		if wanted(k) {
			total.Add(*sum)
			rows++
		}
	}
	if len(a.Items) != rows {
		return fmt.Errorf("%d rows, the data set has %d", len(a.Items), rows)
	}
	for i := range a.Items {
		k := key(&a.Items[i])
		want := sums[k]
		if want == nil || !wanted(k) {
			return fmt.Errorf("a row of %+v: the data set has none", k)
		}
		if err := same(fmt.Sprintf("row %+v", k), &a.Items[i], *want); err != nil {
			return err
		}
	}
	return same("totals", &a.Totals, total)
}

// sessionsAnswer holds the members of a page of sessions that are compared.
type sessionsAnswer struct {
	Items []struct {
		ID   string `json:"id"`
		Cost *money `json:"cost"`
	} `json:"items"`
}

func readSessions(body []byte) (a sessionsAnswer, err error) {
	err = json.Unmarshal(body, &a)
	if err == nil && len(a.Items) == 0 {
		err = fmt.Errorf("there are no sessions: %s", body)
	}
	return a, err
}

// checkNewest checks that the newest session is the last one of the data set.
func checkNewest(s *scale, _ string, body []byte) error {
	a, err := readSessions(body)
	if err != nil {
		return err
	}
	if want := dataset.SessionID(s.Data.Sessions - 1); a.Items[0].ID != want {
		return fmt.Errorf("the newest session is %s, of the data set %s", a.Items[0].ID, want)
	}
	return nil
}

// checkCostliest compares the sessions with the costliest sessions of the data set.
func checkCostliest(s *scale, _ string, body []byte) error {
	a, err := readSessions(body)
	if err != nil {
		return err
	}
	for i, item := range a.Items {
		if want := s.expected.Costly[i]; item.ID != want.ID || !item.Cost.amount().Equal(want.Cost) {
			return fmt.Errorf("session %d: %s of %v, the data set has %s of %s", i, item.ID, item.Cost.amount(),
				want.ID, want.Cost)
		}
	}
	return nil
}

// leastCost returns a cost that some dozens of sessions reach.
func (s *scale) leastCost() string {
	list := s.expected.Costly
	return list[min(len(list)-1, 60)].Cost.RoundDown(6).String()
}

// checkFiltered checks that the sessions pass the filter.
func checkFiltered(_ *scale, path string, body []byte) error {
	a, err := readSessions(body)
	if err != nil {
		return err
	}
	address, err := url.Parse(path)
	if err != nil {
		return err
	}
	low, high := address.Query().Get("min_cost"), address.Query().Get("max_cost")
	for _, item := range a.Items {
		cost := item.Cost.amount()
		if item.Cost == nil || low != "" && cost.LessThan(decimal.RequireFromString(low)) || high != "" && cost.GreaterThan(decimal.RequireFromString(high)) {
			return fmt.Errorf("session %s costs %v", item.ID, cost)
		}
	}
	return nil
}
