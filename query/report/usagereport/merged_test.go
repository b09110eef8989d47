package usagereport_test

import (
	"strings"
	"testing"

	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/timeline"
	"tapedeck/schema"
)

// Several streams report one usage. Tokens are those of the last report; what else a price
// depends on is what was stated last, and a report that does not state it changes nothing.
// The records of a session and a report agree.
func TestBillingOfSeveralReports(t *testing.T) {
	first := querytest.Used("u", "gpt-5", 0, schema.Tokens{Input: 10})
	first.Billing = schema.Billing{
		RequestedModel: "gpt", ServiceTier: "flex", Speed: "fast", Region: "us", Cost: "0.1", Currency: "USD",
		RequestID: "req_1", MessageID: "msg_1",
		Parts: schema.TokenParts{Input: schema.Modalities{Text: 6, Audio: 4}, Output: schema.Modalities{Image: 1}},
		Tools: schema.ToolUses{WebSearches: 2, WebFetches: 1},
	}
	second := querytest.Used("u", "gpt-5-mini", 1, schema.Tokens{Input: 20, Output: 5})
	second.Billing = schema.Billing{
		ServiceTier: "priority", Cost: "0.2", Currency: "EUR", MessageID: "msg_2",
		Parts: schema.TokenParts{Input: schema.Modalities{Text: 20}},
	}
	third := querytest.Used("u", "", 2, schema.Tokens{Input: 30, Output: 7})
	third.Provider = ""
	db := querytest.Open(t)
	db.Add( // in another order than that of their times
		querytest.Recording{Session: "s", Stream: 1, Usages: []schema.Usage{third}},
		querytest.Recording{Session: "s", Stream: 2, Usages: []schema.Usage{first}},
		querytest.Recording{Session: "s", Stream: 3, Usages: []schema.Usage{second}},
		querytest.Recording{Session: "other", Stream: 4, Usages: []schema.Usage{third}},
	)
	r := querytest.Reader(db, 100)
	report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
		Tenant: db.Tenant, GroupBy: []string{"session", "model", "service_tier"},
	}))
	querytest.Equal(t, "report", querytest.Lines(
		"other null null: 1 calls, 30+0+0+0+7+0=37", "s gpt-5-mini priority: 1 calls, 30+0+0+0+7+0=37", "total: 2 calls, 60+0+0+0+14+0=74"), table(report))
	stated := report.Totals.Stated
	if len(stated) != 1 || stated[0].Text() != "0.2" || stated[0].Currency != "EUR" || stated[0].Calls != 1 {
		t.Errorf("stated costs %+v, want 0.2 EUR of 1 call", stated)
	}

	tl := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), r, db.Tenant, "s"))
	if len(tl.Usage) != 1 {
		t.Fatalf("%d records, want 1", len(tl.Usage))
	}
	rec := tl.Usage[0]
	var texts []string
	for _, p := range []*string{rec.Model, rec.Provider, rec.RequestedModel, rec.ServiceTier, rec.Speed, rec.Region, rec.RequestID, rec.MessageID} {
		if p == nil {
			t.Fatalf("a text is missing: %+v", rec)
		}
		texts = append(texts, *p)
	}
	querytest.Equal(t, "texts", "gpt-5-mini openai gpt priority fast us req_1 msg_2", strings.Join(texts, " "))
	if rec.StatedCost == nil || rec.StatedCost.Text() != "0.2" || rec.StatedCost.Currency != "EUR" {
		t.Errorf("stated cost %+v, want 0.2 EUR", rec.StatedCost)
	}
	// Counts by modality go together, as do uses of tools.
	if rec.Parts.Input.Text != 20 || rec.Parts.Input.Audio != 0 || rec.Parts.Output.Image != 0 || rec.Tools.WebSearches != 2 || rec.Tools.WebFetches != 1 {
		t.Errorf("parts %+v and tools %+v, want 20 of text, 2 searches and 1 fetch", rec.Parts, rec.Tools)
	}
	alone := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), r, db.Tenant, "other")).Usage[0]
	if alone.ServiceTier != nil || alone.StatedCost != nil || alone.RequestID != nil || alone.Model != nil {
		t.Errorf("another session's record has %+v, want nothing stated", alone.Billing)
	}
}
