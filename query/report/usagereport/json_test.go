package usagereport

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/grouping"
)

// A report is written as encoding/json writes its parts, whatever its texts hold.
func TestWriteJSON(t *testing.T) {
	name, empty, at := `a "b" <c> & é \ ,"items":[`, "", time.Date(2026, 3, 2, 10, 0, 0, 123, time.UTC)
	money := &cost.Money{Amount: decimal.RequireFromString("-0.000001"), Currency: "EUR"}
	unpriced := []cost.Unpriced{{Reason: "no_model", Calls: 2, Tokens: -3}, {Reason: "unknown_model", Model: &name}}
	full := Row{
		Period: grouping.Period{Name: &name, Start: &at, End: &at}, Group: grouping.Group{"tag:z": nil, "model": &name, "agent": &empty},
		Others: Others{3}, Figures: Figures{
			UsageTotals: cost.UsageTotals{Calls: 4, Tokens: cost.TokensOf(1, 2, 3, 4, 5, -6), Cost: money, UnpricedCalls: 1, UnpricedTokens: -2, Unpriced: unpriced, Discrepancies: 7},
			Repriced:    money, RepricedUnpriced: 1, RepricedReasons: unpriced, WhatIf: money, WhatIfUnpriced: 2, WhatIfReasons: unpriced,
			Stated:   []cost.Stated{{Money: *money, Calls: 2}},
			Findings: &Found{Sessions: 1, Findings: 2, Codes: []FoundCode{{Code: "c", Count: 2, Sessions: 1}}},
		},
	}
	report := &Report{GroupBy: []string{"tag:z", "model", "agent", "model"}, Items: []Row{full, {Group: grouping.Group{}, Figures: Figures{Stated: []cost.Stated{}}}}, Totals: full.Figures, Timezone: name}
	for i := range report.Items {
		row := &report.Items[i]
		want, err := grouping.MarshalRow(row.Group, row.Period, row.Others, row.Figures)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(*row)
		if d := cmp.Diff(string(want), string(got)); d != "" || err != nil {
			t.Errorf("row %d: %v (-want +got):\n%s", i, err, d)
		}
	}
	report.Items[1].Group = grouping.Group{"tag:z": nil, "model": nil, "agent": nil}
	want, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := report.WriteJSON(&got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want)+"\n", got.String()); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
}
