package queryhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/billing/bills"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// stated is a quantity of a unit that a frame of a session states.
type stated struct {
	session, position string
	quantity          int64
}

// lineOf names a line in a test: its class, model and unit, and the value of a tag by which the lines are apart.
func lineOf(l *bills.Line) string {
	return strings.Join([]string{string(l.Class), l.Model, l.Unit, l.TagValue}, "|")
}

// parametersOf returns the parameters that select the rows of a line.
func parametersOf(l *bills.Line, by string) url.Values {
	v := url.Values{
		"class": {string(l.Class)}, "charge_period": {l.Period}, "provider": {l.Provider}, "model": {l.Model},
		"unit": {l.Unit}, "unpriced": {map[bool]string{true: "1", false: "0"}[l.Unpriced]},
	}
	if by != "" {
		v.Set("tag", by+":"+l.TagValue)
	}
	return v
}

// The rows of each line of a preview and of a closed bill are those of the usage that was recorded: they name its
// session and frame, and their quantities and costs add up to the line. claude-opus-5 is 5 dollars for a million
// input tokens and 25 for output; in-house and a call without a model have no price.
func TestRowsOfLines(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	price := map[string]string{"input_tokens": "0.000005", "output_tokens": "0.000025"}
	want := map[string][]stated{}
	streams := 0
	record := func(class, session, customer, provider, model string, calls ...schema.Tokens) {
		streams++
		r := querytest.Recording{Session: session, Stream: streams, State: schema.StreamState{Tags: map[string]string{}}}
		if customer != "" {
			r.State.Tags["customer"] = customer
		}
		for i, tokens := range calls {
			u := querytest.Used(fmt.Sprintf("u%d", i), model, float64(60*streams+i), tokens)
			u.Provider = provider
			r.Usages = append(r.Usages, u)
			position := schema.Position{At: u.At, StreamID: querytest.StreamID(streams), Seq: uint64(i)}.String()
			for unit, n := range map[string]uint64{"input_tokens": tokens.Input, "output_tokens": tokens.Output} {
				line := strings.Join([]string{class, model, unit}, "|")
				for _, key := range []string{line + "|", line + "|by " + customer} {
					want[key] = append(want[key], stated{session, position, int64(n)})
				}
			}
		}
		db.Add(r)
	}
	record("", "one", "c1", "anthropic", "claude-opus-5", schema.Tokens{Input: 10, Output: 2}, schema.Tokens{Input: 1000, Output: 3})
	record("", "two", "c2", "anthropic", "claude-opus-5", schema.Tokens{Input: 7, Output: 1})
	record("", "none", "", "anthropic", "claude-opus-5", schema.Tokens{Input: 5, Output: 4})
	record("", "house", "c1", "house", "in-house", schema.Tokens{Input: 50, Output: 8})
	record("", "nameless", "c2", "", "", schema.Tokens{Input: 60, Output: 9})

	clock := time.Date(2026, 4, 1, 2, 0, 0, 0, time.UTC)
	reader := query.NewReader(db.Conn, query.WithClock(func() time.Time { return clock }))
	store := bills.NewStore(reader, db.Conn, bills.KeyValueHeads{NATS: localtest.NATS(t)}, nil)
	server := queryhttp.New(reader, nil).WithBills(store)
	a := mount(t, db.Tenant, server)

	// check compares the rows of each line of a bill with what was recorded.
	check := func(b *bills.Bill, rows string) (all uint64) {
		t.Helper()
		seen := map[string]bool{}
		for i := range b.Lines {
			l := &b.Lines[i]
			name := lineOf(l)
			if b.By != "" {
				name = strings.Join([]string{string(l.Class), l.Model, l.Unit, "by " + l.TagValue}, "|")
			}
			seen[name] = true
			page := get[bills.Page](a, rows+parametersOf(l, b.By).Encode())
			var got []stated
			var quantity, cost decimal.Decimal
			for _, r := range page.Items {
				got = append(got, stated{r.SessionID, r.Position, r.Quantity.IntPart()})
				quantity = quantity.Add(r.Quantity)
				if l.Unpriced != (r.Reason != "") || l.Unpriced == r.BilledCost.Valid {
					t.Errorf("%s: a row of the line without a price: %t: %+v", name, l.Unpriced, r)
				}
				if !l.Unpriced {
					cost = cost.Add(r.Quantity.Mul(decimal.RequireFromString(price[r.Unit])))
				}
			}
			querytest.Equal(t, rows+name, want[name], got)
			if !quantity.Equal(l.Quantity) || !cost.Equal(l.Cost) || page.Count != l.Rows || page.Next != nil {
				t.Errorf("%s: rows of %s for %s (%d), line of %s for %s (%d)", name, quantity, cost, page.Count, l.Quantity, l.Cost, l.Rows)
			}
			all += page.Count
		}
		if all != b.Rows || len(seen) != len(b.Lines) {
			t.Errorf("%s: the lines have %d rows, the bill %d", rows, all, b.Rows)
		}
		return all
	}

	preview := get[bills.Preview](a, "/v1/bills/preview?period=2026-03")
	if n := check(&preview.Bill, "/v1/bills/preview/rows?period=2026-03&"); n != 12 {
		t.Errorf("%d rows, lines %v", n, preview.Lines)
	}
	by := get[bills.Preview](a, "/v1/bills/preview?period=2026-03&by=customer")
	check(&by.Bill, "/v1/bills/preview/rows?period=2026-03&")
	few := get[bills.Page](a, "/v1/bills/preview/rows?period=2026-03&model=claude-opus-5&limit=3")
	if len(few.Items) != 3 || few.Count != 8 || few.Next != nil {
		t.Errorf("three rows of a preview: %+v", few)
	}

	status, _, body := a.send("POST", "/v1/bills?period=2026-03", "")
	var closed bills.Bill
	if err := json.Unmarshal(body, &closed); err != nil || status != http.StatusOK {
		t.Fatalf("close: %d %s", status, body)
	}
	rows := "/v1/bills/" + closed.Number + "/rows?"
	check(&closed, rows)
	apart := get[bills.Bill](a, "/v1/bills/"+closed.Number+"?by=customer")
	check(&apart, rows)

	// One row on each page; then rows of several lines.
	var ordinals []uint64
	for cursor := ""; ; {
		page := get[bills.Page](a, rows+"model=claude-opus-5&unit=input_tokens&limit=1"+cursor)
		if len(page.Items) != 1 || page.Count != 4 {
			t.Fatalf("a page of one row: %+v", page)
		}
		ordinals = append(ordinals, page.Items[0].Ordinal)
		if page.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Next
	}
	if len(ordinals) != 4 || !slices.IsSorted(ordinals) || len(slices.Compact(ordinals)) != 4 {
		t.Errorf("pages of one row have the rows %v", ordinals)
	}
	for filter, n := range map[string]uint64{"unpriced=1": 4, "unpriced=0": 8, "class=": 12, "tag=customer:c1": 6, "tag=customer:": 2, "model=": 2, "": 12} {
		if page := get[bills.Page](a, rows+filter); page.Count != n || len(page.Items) != int(n) {
			t.Errorf("%s: %d of %d rows, expected %d", filter, len(page.Items), page.Count, n)
		}
	}

	// What arrives now corrects the closed bill in the next one.
	clock = clock.AddDate(0, 0, 14)
	record("correction", "late", "c1", "anthropic", "claude-opus-5", schema.Tokens{Input: 70, Output: 6})
	april := get[bills.Preview](a, "/v1/bills/preview?period=2026-04")
	if n := check(&april.Bill, "/v1/bills/preview/rows?period=2026-04&"); n != 2 {
		t.Errorf("corrections: %+v", april.Lines)
	}

	for path, sentence := range map[string]string{
		rows + "class=shut":                                         "class",
		rows + "unpriced=maybe":                                     "unpriced",
		rows + "tag=customer":                                       "name:value",
		rows + "tag=:c1":                                            "name:value",
		rows + "charge_period=March":                                `no row of charge_period "March"`,
		rows + "unit=tokens&model=claude-opus-5":                    `no row of model "claude-opus-5", unit "tokens"`,
		rows + "provider=nobody":                                    `no row of provider "nobody"`,
		rows + "tag=customer:c9":                                    `no row of tag "customer:c9"`,
		rows + "class=correction":                                   `no row of class "correction"`,
		rows + "model=claude-opus-5&format=csv":                     "goes with format=json",
		rows + "modell=claude-opus-5":                               "modell",
		rows + "model=a&model=b":                                    "several times",
		rows + "limit=0":                                            "limit",
		"/v1/bills/preview/rows?period=2026-04&model=gone":          `The bill of 2026-04 of the account tenant has no row of model "gone"`,
		"/v1/bills/preview/rows?period=2026-04&cursor=x":            "cursor",
		"/v1/bills/preview/rows?period=April":                       "not a month",
		"/v1/bills/preview/rows?period=2026-04&account=customer=c1": "no account",
	} {
		status, _, body := a.send("GET", path, "")
		var p problem.Problem
		if err := json.Unmarshal(body, &p); err != nil || status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(p.Parameter, p.Detail, p.Allowed), sentence) {
			t.Errorf("%s: %d %s, expected 400 and %q", path, status, body, sentence)
		}
	}
	if status, _, body := a.send("GET", "/v1/bills/preview/rows?period=2026-03", ""); status != http.StatusConflict {
		t.Errorf("rows of the preview of a closed period: %d %s", status, body)
	}
	other := mount(t, db.Tenant+"-other", server)
	if status, _, body := other.send("GET", rows+"model=claude-opus-5", ""); status != http.StatusNotFound {
		t.Errorf("rows of another tenant's bill: %d %s", status, body)
	}
}
