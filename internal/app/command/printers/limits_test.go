package printers

import (
	"strings"
	"testing"
	"time"

	"tapedeck/query/facts/accountlimits"
	"tapedeck/query/report/limitreport"
	"tapedeck/schema"
)

// The table has what was stated, and says of a window that it was reset.
func TestLimits(t *testing.T) {
	number := func(n float64) *float64 { return &n }
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	item := func(account string, l schema.Limit) limitreport.Item {
		l.At = at.UnixNano()
		i := limitreport.Item{Limit: accountlimits.Of("codex-rollout", &l), SessionID: "s"}
		if account != "" {
			i.Account = &account
		}
		return i
	}
	r := &limitreport.Report{Tag: "customer", Truncated: true, Items: []limitreport.Item{
		item("acme", schema.Limit{Name: "primary", Plan: "plus", Window: 18000, UsedPercent: number(92.5), ResetsAt: at.Unix() + 60}),
		item("", schema.Limit{Name: "\x1b[31mred", Window: 61, Used: number(25.5), Max: number(100), Status: "rejected", ResetsAt: at.Unix() + 3600}),
		item("", schema.Limit{Name: "credits", Window: 7 * 86400, Balance: "12.50", Unlimited: true}),
	}}
	var out strings.Builder
	if err := Limits(&out, r, at.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"acme", "plus", "primary", "5h", "93%", "was reset", `\x1b[31mred`, "61s", "26%, 25.5 of 100", "rejected", "7d",
		"12.50 left, unlimited", "(none)", "more than 1000 limits"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.Count(out.String(), "was reset") != 1 || strings.Contains(out.String(), "\x1b") {
		t.Error(out.String())
	}
}
