package usagereport_test

import (
	"testing"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionlist"
	"tapedeck/schema"
)

// partsPrices are list prices of two models, for a million tokens and a thousand uses.
const partsPrices = `{"source": {}, "providers": [{"id": "p", "models": [
	{"id": "speaker", "match": {"equals": "speaker"}, "prices": [{"prices": {
		"input_mtok": 1, "cache_read_mtok": 0.1, "input_audio_mtok": 10, "cache_audio_read_mtok": 2,
		"output_mtok": 4, "output_audio_mtok": 40, "web_searches_kcount": 25, "code_executions_kcount": 3}}]},
	{"id": "listener", "match": {"equals": "listener"}, "prices": [{"prices": {
		"input_mtok": 1, "cache_read_mtok": 0.1, "input_audio_mtok": 10, "output_mtok": 4}}]}]}]}`

// partsCall is a call of which some tokens are of audio, with searches.
func partsCall(id, model string, seconds float64) schema.Usage {
	u := querytest.Used(id, model, seconds, schema.Tokens{Input: 1000, CacheRead: 500, Output: 200, Reasoning: 50})
	u.Provider = "p"
	u.Parts = schema.TokenParts{Input: schema.Modalities{Text: 700, Audio: 300}, Output: schema.Modalities{Audio: 80}}
	u.Tools = schema.ToolUses{WebSearches: 3, WebFetches: 7, CodeExecutions: 2}
	return u
}

// Tokens of audio and uses of a provider's tools have prices of their own. A report, the
// session list and a session agree on the costs.
func TestPartsAreCharged(t *testing.T) {
	cached := partsCall("cached", "speaker", 1)
	cached.Parts.CacheRead.Audio = 100
	plain := querytest.Used("plain", "speaker", 2, schema.Tokens{Input: 1000, CacheRead: 500, Output: 200, Reasoning: 50})
	plain.Provider = "p"
	noRate, tooMany := partsCall("no rate", "listener", 4), partsCall("too many", "speaker", 5)
	noRate.Parts.CacheRead.Audio, tooMany.Parts.Output.Audio = 100, 201
	db := querytest.Open(t)
	stream := 0
	for session, u := range map[string]schema.Usage{
		"audio": partsCall("audio", "speaker", 0), "cached": cached, "plain": plain,
		"listener": partsCall("listener", "listener", 3), "no rate": noRate, "too many": tooMany,
	} {
		u.ID = session
		stream++
		db.Add(querytest.Recording{Session: session, Stream: stream, Usages: []schema.Usage{u}})
	}
	table := querytest.Must[*prices.Table](t)(prices.Load([]byte(partsPrices)))
	effective := querytest.Must[*prices.Effective](t)(prices.Combine(table, nil, nil))
	r := querytest.Reader(db, 1e6, query.WithPrices(prices.Fixed{Table: effective}))
	want := map[string]string{
		// 700 * 1 + 300 * 10 + 500 * 0.1 + (120 + 50) * 4 + 80 * 40 = 7630 millionths, and 3 *
		// 25 + 2 * 3 = 81 thousandths.
		"audio": "0.08863",
		// 400 * 0.1 + 100 * 2 in place of 500 * 0.1.
		"cached": "0.08882",
		// 1000 * 1 + 500 * 0.1 + 250 * 4.
		"plain": "0.00205",
		// 700 * 1 + 300 * 10 + 500 * 0.1 + 250 * 4: what has no price of its own has that of
		// what contains it, and tools without a price are free.
		"listener": "0.00475",
		// Of audio from a cache it is not known which of two prices holds.
		"no rate": "",
		// More audio than output.
		"too many": "",
	}
	reasons := map[string]prices.Reason{"no rate": prices.UnitWithoutCost, "too many": prices.InvalidUsage}
	report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: db.Tenant, GroupBy: []string{"session"}}))
	for _, row := range report.Items {
		name := *row.Group["session"]
		if row.Cost.Text() != want[name] {
			t.Errorf("%s costs %q in a report, want %q", name, row.Cost.Text(), want[name])
		}
		if len(row.Unpriced) > 0 && row.Unpriced[0].Reason != reasons[name] || (row.Cost == nil) != (len(row.Unpriced) == 1) {
			t.Errorf("%s is unpriced for %+v, want %q", name, row.Unpriced, reasons[name])
		}
		detail := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, db.Tenant, name))
		if detail.Cost.Text() != want[name] {
			t.Errorf("%s costs %q by itself, want %q", name, detail.Cost.Text(), want[name])
		}
	}
	all := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: db.Tenant}))
	if got := all.Totals.Cost.Text(); got != "0.18425" || all.Totals.UnpricedCalls != 2 {
		t.Errorf("all cost %s, and %d have no price; want 0.18425 and 2", got, all.Totals.UnpricedCalls)
	}
	page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: db.Tenant, Sort: "-cost", Limit: 10}))
	var order []string
	for i := range page.Items {
		s := &page.Items[i]
		order = append(order, s.ID)
		if s.Cost.Text() != want[s.ID] {
			t.Errorf("%s costs %q in the list, want %q", s.ID, s.Cost.Text(), want[s.ID])
		}
	}
	if len(order) != 6 || order[0] != "cached" || order[1] != "audio" || order[2] != "listener" || order[3] != "plain" {
		t.Errorf("sessions by cost: %q", order)
	}
}
