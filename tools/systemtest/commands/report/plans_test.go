package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/report/usagereport"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// A plan of 30 dollars is divided over two calls in March, of 100,000 and 50,000 tokens of input at 3 dollars
// for a million.
func TestUsagePlans(t *testing.T) {
	s := commandtest.Shared(t)
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	for who, tokens := range map[string]int{"a": 100_000, "b": 50_000} {
		file := fmt.Appendf(nil, `{"type":"user","sessionId":"plan-%s","version":"2.0.1","uuid":"u1","timestamp":"2026-03-10T11:59:58.000Z","message":{"role":"user","content":"Hello"}}
{"type":"assistant","sessionId":"plan-%s","version":"2.0.1","uuid":"u2","parentUuid":"u1","timestamp":"2026-03-10T12:00:00.000Z","requestId":"req_plan_%s","message":{"id":"msg_plan_%s","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":0}}}
`, who, who, who, who, tokens)
		s.Must(t, "record", "--dialect", "claude-code", "--tag", "seat=max", "--tag", "who="+who, commandtest.TextFile(t, file))
	}
	asked := []string{"usage", "--plans", "--from", "2026-03-01", "--to", "2026-04-01", "--tag", "seat=max"}
	_, errs, exit := s.Run(t, asked...)
	if exit != 0 || !strings.Contains(errs, "the price file states no plans") {
		t.Errorf("without plans: exit %d, %s", exit, errs)
	}
	file := priceFile(t, "plans:\n  - {name: Max, price: 30, tag: {seat: max}, from: 2026-02-01, to: 2026-07-01}\n")
	commandtest.Contains(t, "prices check", s.Must(t, "prices", "check", file), "plans: Max added")
	s.Must(t, "prices", "import", file)
	var got []string
	for line := range strings.Lines(s.Must(t, append(asked, "--group-by", "tag:who")...)) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"TAG:who CALLS INPUT CACHE READ CACHE WRITE OUTPUT REASONING TOTAL COST OF PLANS STATED",
		"a 1 100,000 0 0 0 0 100,000 $0.3000 $20.0000 –",
		"b 1 50,000 0 0 0 0 50,000 $0.1500 $10.0000 –",
		"TOTAL 2 150,000 0 0 0 0 150,000 $0.4500 $30.0000 –",
		"",
		"Plans: what their prices are for",
		"PLAN A MONTH MONTHS PRICE THESE CALLS OTHER CALLS UNALLOCATED",
		"Max $30.00 1 $30.00 $30.0000 – –",
	}
	if got, want := strings.Join(got, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var r usagereport.Report
	if err := json.Unmarshal([]byte(s.Must(t, "usage", "--plans", "--from", "2026-02-01", "--to", "2026-04-01", "--tag", "who=b", "--json")), &r); err != nil {
		t.Fatal(err)
	}
	// February has no call.
	if len(r.Plans) != 1 || r.Totals.PlanCost.Text() != "10" || r.Plans[0].Months != 2 || r.Plans[0].Share.Text() != "10" ||
		r.Plans[0].Others.Text() != "20" || r.Plans[0].Unallocated.Text() != "30" {
		t.Errorf("JSON: %+v, total %s", r.Plans, r.Totals.PlanCost.Text())
	}
	for _, args := range [][]string{{"usage", "--plans", "--calls"}, {"usage", "--plans", "--limits"}} {
		if _, errs, exit := s.Run(t, args...); exit != commandtest.ExitUsage {
			t.Errorf("%s: exit %d, %s", args, exit, errs)
		}
	}
}
