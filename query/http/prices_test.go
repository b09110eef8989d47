package queryhttp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/query/report/pricelist"
	"tapedeck/schema"
)

// TestPrices lists the table, finds what has no price, imports a file and reads the table
// before it by its hash. claude-opus-5 is 5 dollars for a million input tokens.
func TestPrices(t *testing.T) {
	db := querytest.New(t)
	recording := querytest.Recording{Session: "s", Stream: 1}
	for id, model := range map[string]string{"a": "claude-opus-5", "b": "claude-opus-55", "c": "", "d": "claude-next-preview"} {
		recording.Usages = append(recording.Usages, schema.Usage{
			Fact: schema.Fact{ID: id}, Scope: id, Mode: schema.UsageAdd, At: ns(0), Model: model, Provider: "anthropic", Tokens: schema.Tokens{Input: 1},
		})
	}
	db.Add(recording)
	a := serveWith(t, db.Tenant, query.NewReader(db.Conn), pricetables.NewStore(db.Conn, nil))

	list := get[pricelist.List](a, "/v1/prices?provider=anthropic&model=opus-5&at=2026-10-01")
	if len(list.Items) == 0 || list.Items[0].Model != "claude-opus-5" || list.Items[0].Prices[0].Price != "5" || list.ImportedAt != nil {
		t.Errorf("list: %+v", list)
	}
	reasons := map[string]prices.Reason{}
	for _, u := range list.Unmatched {
		reasons[u.Model] = u.Reason
		if u.Model == "claude-opus-55" && (len(u.Nearest) == 0 || u.Nearest[0] != "anthropic/claude-opus-5") {
			t.Errorf("nearest of claude-opus-55: %v", u.Nearest)
		}
		// No id is a small change of it: those of its family are the nearest.
		if u.Model == "claude-next-preview" && (len(u.Nearest) != 3 || strings.Count(strings.Join(u.Nearest, " "), "anthropic/claude-") != 3) {
			t.Errorf("nearest of claude-next-preview: %v", u.Nearest)
		}
	}
	if len(reasons) != 3 || reasons["claude-next-preview"] != prices.UnknownModel || reasons["claude-opus-55"] != prices.UnknownModel || reasons[""] != prices.NoModel {
		t.Errorf("unmatched: %v", reasons)
	}

	// Of the models in use, those of the filter have their entry, and other pages than the first have none.
	if len(list.Used) != 1 || list.Used[0].Provider != "anthropic" || list.Used[0].Model != "claude-opus-5" || list.Used[0].Prices[0].Price != "5" {
		t.Errorf("used: %+v", list.Used)
	}
	if other := get[pricelist.List](a, "/v1/prices?provider=openai&limit=1"); len(other.Used) != 0 || other.Next == nil {
		t.Errorf("used of openai: %+v", other.Used)
	} else if next := get[pricelist.List](a, "/v1/prices?limit=1&cursor="+*other.Next); len(next.Used)+len(next.Unmatched) != 0 {
		t.Errorf("used on the second page: %+v, %+v", next.Used, next.Unmatched)
	}

	// All pages have each model once.
	seen, path := map[string]bool{}, "/v1/prices?limit=1000"
	for path != "" {
		page := get[pricelist.List](a, path)
		for _, e := range page.Items {
			if key := e.Provider + "/" + e.Model; seen[key] {
				t.Errorf("%s is listed twice", key)
			} else {
				seen[key] = true
			}
		}
		if path = ""; page.Next != nil {
			path = "/v1/prices?limit=1000&cursor=" + *page.Next
		}
	}
	models := 0
	for _, p := range prices.Builtin().Providers {
		models += len(p.Models)
	}
	if len(seen) < models {
		t.Errorf("%d models are listed, expected at least %d", len(seen), models)
	}

	const file = "discounts:\n  - {name: contract, provider: anthropic, factor: 0.8}\n"
	compare := func(path, content string) (c pricelist.Comparison) {
		t.Helper()
		status, _, body := a.send("POST", path, content, "Content-Type", "application/yaml")
		if status != 200 || json.Unmarshal(body, &c) != nil {
			t.Fatalf("POST %s: %d %s", path, status, body)
		}
		return c
	}
	dry := compare("/v1/prices?dry_run=1", file)
	if !dry.DryRun || len(dry.Changes) == 0 || len(dry.Rules) != 1 || dry.Rules[0].Name != "contract" || dry.Rules[0].Change != "added" {
		t.Errorf("dry run: %+v", dry)
	}
	if same := get[pricelist.List](a, "/v1/prices?limit=1"); same.Hash != list.Hash {
		t.Errorf("a dry run changed the table")
	}
	// Recorded usage names claude-opus-55, the table none of the others.
	warned := compare("/v1/prices?dry_run=1", `prices:
  - {provider: antropic, model: claude-opus-5, prices: {input_mtok: 1}}
  - {provider: anthropic, model: [claude-opus-5, claude-opus-55, claude-opsu-5], factor: 2}
margins:
  - {model: "claude-o*", factor: 2}
  - {model: "clade-o*", factor: 2}
`).Warnings
	if len(warned) != 3 || warned[0].Field != "prices[0].provider" || warned[0].Nearest[0] != "anthropic" ||
		warned[1].Field != "prices[1].model[2]" || warned[1].Value != "claude-opsu-5" || warned[1].Nearest[0] != "anthropic/claude-opus-5" ||
		warned[2].Field != "margins[1].model" || warned[2].Value != "clade-o*" {
		t.Errorf("warnings: %+v", warned)
	}
	imported := compare("/v1/prices?name=acme.yaml", file)
	if len(imported.Warnings) != 0 || imported.DryRun || imported.Hash != dry.Hash || imported.Before != list.Hash {
		t.Errorf("import: %+v", imported)
	}
	after := get[pricelist.Model](a, "/v1/prices/claude-opus-5?at=2026-10-01")
	if after.Hash != imported.Hash || *after.FileName != "acme.yaml" || after.Provider != "anthropic" || after.Prices[0].Price != "4" || *after.Prices[0].List != "5" {
		t.Errorf("after the import: %+v", after)
	}
	sections := map[string]int{}
	for _, r := range after.Rules {
		sections[r.Section]++
	}
	if sections["discounts"] != 1 || sections["overlay"] < 3 {
		t.Errorf("rules: %v", sections)
	}
	before := get[pricelist.Model](a, "/v1/prices/anthropic/claude-opus-5?at=2026-10-01&hash="+list.Hash)
	if before.Hash != list.Hash || before.Prices[0].Price != "5" {
		t.Errorf("by the hash of the table before: %+v", before)
	}
	// claude-opus-4-6 had tiers before its prices changed.
	if history := get[pricelist.Model](a, "/v1/prices/anthropic/claude-opus-4-6"); len(history.Periods) != 2 || history.Periods[0].Prices[0].Tiers[0].Above != 200_000 || !history.Periods[1].Holds && !history.Periods[0].Holds {
		t.Errorf("history: %+v", history.Periods)
	}

	// Only a request that says so removes the price file.
	removed := compare("/v1/prices?none=1&dry_run=1&all=1", "")
	if len(removed.Rules) != 1 || removed.Rules[0].Change != "removed" || removed.Counts.Changed == 0 || removed.Counts.Changed != len(removed.Changes) || removed.More != 0 {
		t.Errorf("no own prices: %+v", removed)
	}
	for _, tc := range []struct{ method, path, content, parameter, detail string }{
		{"POST", "/v1/prices", "margins:\n  - {factor: -1}\n", "margins[0].factor", "prices.yaml:2: margins[0].factor: -1 is negative"},
		{"POST", "/v1/prices?dry_run=1&name=x.yaml", "mrgins: []\n", "mrgins", `x.yaml:1: mrgins: there is no such field; did you mean "margins"?`},
		{"POST", "/v1/prices?dry_run=maybe", "", "dry_run", "maybe"},
		{"POST", "/v1/prices", "", "", "The body is empty"},
		{"POST", "/v1/prices?list=1&date=2026-01-01", " ", "", "The body is empty"},
		{"POST", "/v1/prices?list=1", "{}", "", "is no date"},
		{"POST", "/v1/prices", "# prices\n", "", "states nothing"},
		{"POST", "/v1/prices", "{}", "", "states nothing"},
		{"POST", "/v1/prices", "---\n...\n", "", "states nothing"},
		{"POST", "/v1/prices", "null", "", "states nothing"},
		{"POST", "/v1/prices", "\xff\xfe", "", "states nothing"},
		{"POST", "/v1/prices?none=1", "{}", "none", "send an empty body"},
		{"POST", "/v1/prices?none=1&list=1", "", "none", "does not go with list=1"},
		{"POST", "/v1/prices?list=1&date=2031-01-01", `{"gpt-9":{"litellm_provider":"openai","input_cost_per_token":1e-06}}`, "date", "is in the future"},
		{"POST", "/v1/prices?list=1&date=2020-01-01", `{"gpt-9":{"litellm_provider":"openai","input_cost_per_token":1e-06}}`, "", "older than the list prices in use"},
		{"GET", "/v1/prices?hash=12", "", "hash", "is not a SHA-256"},
		{"GET", "/v1/prices?provider=antropic", "", "provider", "has no models in the price table"},
		{"GET", "/v1/prices?at=soon", "", "at", "is not a time"},
		{"GET", "/v1/prices?cursor=x", "", "cursor", "not one of this list"},
		{"GET", "/v1/prices?limit=0", "", "limit", "0"},
		{"GET", "/v1/prices/x?provider=x", "", "provider", "no parameter"},
	} {
		status, _, body := a.send(tc.method, tc.path, tc.content)
		var p problem.Problem
		if status != 400 || json.Unmarshal(body, &p) != nil || p.Parameter != tc.parameter || !strings.Contains(p.Detail, tc.detail) {
			t.Errorf("%s %s: %d %s, expected %s: %s", tc.method, tc.path, status, body, tc.parameter, tc.detail)
		}
	}
	if status, _, body := a.send("POST", "/v1/prices", strings.Repeat("#", prices.MaxFile+1)); status != 413 {
		t.Errorf("a file that is too large: %d %s", status, body)
	}
	for path, hint := range map[string]string{"/v1/prices/openai/gpt-55": "openai/gpt-5", "/v1/prices?hash=" + strings.Repeat("0", 64): ""} {
		if status, _, body := a.ask("GET", path); status != 404 || !strings.Contains(string(body), hint) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if same := get[pricelist.List](a, "/v1/prices?limit=1"); same.Hash != imported.Hash {
		t.Errorf("an invalid file changed the table")
	}
}
