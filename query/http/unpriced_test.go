package queryhttp_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Sessions and charges without a price, and sessions with usage of an unknown model, provider, agent, run, node or tier,
// are the same before the usage of the sessions is settled, afterwards, and when more is recorded.
func TestUnpricedAndUnnamed(t *testing.T) {
	fulltest.Long(t)
	db := querytest.New(t)
	streams := 0
	record := func(session string, usages ...schema.Usage) {
		streams++
		db.Add(querytest.Recording{Session: session, Stream: streams, Usages: usages})
	}
	tokens := schema.Tokens{Input: 10, Output: 2}
	used := func(id string, change func(*schema.Usage)) schema.Usage {
		u := querytest.Used(id, "claude-opus-5", float64(60*streams), tokens)
		u.Provider, u.Run, u.Node, u.ServiceTier = "anthropic", "r", "n", "standard"
		if change != nil {
			change(&u)
		}
		return u
	}
	house := func(u *schema.Usage) { u.Provider, u.Model = "house", "in-house" }
	record("priced", used("a", nil))
	record("house", used("a", house), used("b", house))
	record("mixed", used("a", nil), used("b", house))
	record("modelless", used("a", func(u *schema.Usage) { u.Model = "" }))
	record("nameless", used("a", func(u *schema.Usage) { u.Model, u.Provider = "", "" }))
	record("agentless", used("a", func(u *schema.Usage) { u.Agent = "" }))
	record("runless", used("a", func(u *schema.Usage) { u.Run = "" }))
	record("nodeless", used("a", func(u *schema.Usage) { u.Node, u.ServiceTier = "", "" }))
	record("silent")
	// The model and the agent come with a later row of the same record.
	record("restated", used("a", func(u *schema.Usage) { u.Model, u.Agent = "", "" }))
	record("restated", used("a", func(u *schema.Usage) { u.At += 1e9 }))

	r := querytest.Reader(db, 1e6)
	a := mount(t, db.Tenant, queryhttp.New(r, nil))
	sessions := func(filter string) []string {
		t.Helper()
		page := get[query.Page[sessionhead.Summary]](a, "/v1/sessions?"+filter)
		var names []string
		for _, s := range page.Items {
			names = append(names, s.ID)
		}
		slices.Sort(names)
		return names
	}
	check := func(when string, more ...string) {
		t.Helper()
		for filter, want := range map[string][]string{
			"unpriced=1":                      append([]string{"house", "mixed", "modelless", "nameless"}, more...),
			"unpriced=1&provider=house":       append([]string{"house", "mixed"}, more...),
			"unpriced=1&model=claude-opus-5":  {"mixed"},
			"unpriced=1&sort=-cost&status=ok": append([]string{"house", "mixed", "modelless", "nameless"}, more...),
			"model=":                          {"modelless", "nameless"},
			"model=&model=in-house":           append([]string{"house", "mixed", "modelless", "nameless"}, more...),
			"provider=":                       {"nameless"},
			"agent=":                          {"agentless"},
			"run=":                            {"runless"},
			"node=":                           {"nodeless"},
			"service_tier=":                   {"nodeless"},
			"model=&provider=":                {"nameless"},
		} {
			slices.Sort(want)
			querytest.Equal(t, when+": "+filter, want, sessions(filter))
		}
		// Two charges on each page.
		var unpriced []string
		for cursor := ""; ; {
			page := get[charges.Page](a, "/v1/usage/calls?unpriced=1&limit=2"+cursor)
			for _, c := range page.Items {
				if c.Unpriced == nil || c.Cost != nil {
					t.Errorf("%s: a charge with a price: %+v", when, c)
				}
				unpriced = append(unpriced, c.SessionID)
			}
			if page.Next == nil {
				break
			}
			cursor = "&cursor=" + *page.Next
		}
		slices.Sort(unpriced)
		want := append([]string{"house", "house", "mixed", "modelless", "nameless"}, more...)
		slices.Sort(want)
		querytest.Equal(t, when+": charges", want, unpriced)
	}
	check("before any usage is settled")
	if err := rollup.NewSettler(r, slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("of settled usage")
	record("later", used("a", house))
	check("of settled usage and more", "later")

	_, _, lines := a.ask("GET", "/v1/usage/calls?unpriced=1&format=ndjson")
	if n := strings.Count(string(lines), "\n"); n != 6 {
		t.Errorf("%d charges without a price as NDJSON: %s", n, lines)
	}
	for _, filter := range []string{"unpriced=maybe", "unprized=1"} {
		if status, _, body := a.send("GET", "/v1/sessions?"+filter, ""); status != 400 {
			t.Errorf("%s: %d %s", filter, status, body)
		}
	}
}
