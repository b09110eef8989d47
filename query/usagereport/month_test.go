package usagereport_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/reports"
	"tapedeck/query/usagereport"
	"tapedeck/schema"
)

var monthCalls = flag.Int("month-calls", 5000, "calls of the generated month of TestMonth")

// monthCall is a call as testdata/bill.mjs reads it.
type monthCall struct {
	At       int64             `json:"at"` // ms
	Session  string            `json:"session"`
	Tags     map[string]string `json:"tags"`
	Provider string            `json:"provider"`
	Model    string            `json:"model"`
	schema.Tokens
}

// MarshalJSON writes tokens under the names of the API.
func (c monthCall) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"at": c.At, "session": c.Session, "tags": c.Tags, "provider": c.Provider, "model": c.Model,
		"input": c.Input, "cache_read": c.CacheRead, "cache_write_5m": c.CacheWrite5m, "cache_write_1h": c.CacheWrite1h,
		"output": c.Output, "reasoning": c.Reasoning,
	})
}

// monthModels are models with tiers, with a price that changes in the month, with prices by
// the time of day, without a price for caches, and one that no table has.
var monthModels = [][2]string{
	{"openai", "gpt-5"}, {"openai", "gpt-5-mini"}, {"openai", "gpt-5.4"}, {"openai", "gpt-5.6-sol"}, {"openai", "gpt-6-luna"},
	{"google", "gemini-2.5-pro"}, {"google", "gemini-3-pro-preview"}, {"google", "gemini-2.5-flash"},
	{"deepseek", "deepseek-v4-flash"}, {"deepseek", "deepseek-chat"}, {"mistral", "voxtral-small-24b-2507"}, {"openai", "in-house-1"},
}

// month generates the calls of August 2026 and their recordings: some sessions are
// recorded by two streams, and all of it is inserted twice.
func month(n int) ([]monthCall, []querytest.Recording) {
	random := rand.New(rand.NewPCG(14, 3))
	begin := time.Date(2026, time.August, 1, 0, 0, 0, 0, time.UTC)
	var calls []monthCall
	var recordings []querytest.Recording
	for session := 0; len(calls) < n; session++ {
		tags := map[string]string{"customer": fmt.Sprint("c", random.IntN(7)), "team": fmt.Sprint("t", random.IntN(3))}
		if random.IntN(4) == 0 {
			tags["environment"] = "test"
		}
		rec := querytest.Recording{Session: fmt.Sprintf("s%06d", session), Stream: 2*session + 1, State: schema.StreamState{Tags: tags}}
		at := begin.Add(time.Duration(random.Int64N(int64(31 * 24 * time.Hour))))
		for i := range 1 + random.IntN(40) {
			at = at.Add(time.Duration(random.Int64N(int64(20 * time.Minute)))).Truncate(time.Millisecond)
			model := monthModels[random.IntN(len(monthModels))]
			tokens := schema.Tokens{
				Input: random.Uint64N(1000), CacheRead: random.Uint64N(3) * random.Uint64N(150_000), CacheWrite5m: random.Uint64N(2) * random.Uint64N(9000),
				CacheWrite1h: random.Uint64N(2) * random.Uint64N(500), Output: random.Uint64N(3000), Reasoning: random.Uint64N(2) * random.Uint64N(5000),
			}
			calls = append(calls, monthCall{At: at.UnixMilli(), Session: rec.Session, Tags: tags, Provider: model[0], Model: model[1], Tokens: tokens})
			u := querytest.Used(fmt.Sprint("u", i), model[1], 0, tokens)
			u.At, u.Provider = at.UnixNano(), model[0]
			rec.Usages = append(rec.Usages, u)
		}
		recordings = append(recordings, rec)
		if random.IntN(10) == 0 { // a second tap of the same session
			again := rec
			again.Stream++
			again.Usages = slices.Clone(rec.Usages)
			recordings = append(recordings, again)
		}
	}
	return calls, recordings
}

var (
	monthZones     = []string{"UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Europe/London"}
	monthGroupings = [][]string{{}, {"model"}, {"provider", "tag:customer"}, {"tag:team", "tag:environment", "model"}, {"session"}}
)

// TestMonth compares costs and tokens of a generated month with those that a script in
// another language computes call by call. The flag -month-calls sets its size.
func TestMonth(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	calls, recordings := month(*monthCalls)
	db := querytest.Open(t, localtest.ClickHouse(t))
	for part := range slices.Chunk(recordings, 200) {
		db.Add(part...)
	}
	want := strings.Split(bill(t, node, calls), "\n")
	var got []string
	r := query.NewReader(db.Conn)
	for _, zone := range monthZones {
		for _, by := range monthGroupings {
			report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{
				Tenant: querytest.Tenant, Zone: querytest.Zone(t, zone), Granularity: reports.Daily, GroupBy: by,
			}))
			got = append(got, billLines(report, zone)...)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	t.Logf("%d calls, %d rows", len(calls), len(want))
	if !slices.Equal(want, got) {
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				t.Fatalf("row %d of %d and %d:\nwant %s\ngot  %s", i, len(want), len(got), want[i], got[i])
			}
		}
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
}

// bill runs the script.
func bill(t *testing.T, node string, calls []monthCall) string {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	if err := e.Encode(map[string]any{"zones": monthZones, "groupings": monthGroupings}); err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		if err := e.Encode(calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/bill.mjs", "../prices/table.json")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	return strings.TrimSpace(string(out))
}

// billLines writes a report as the script does.
func billLines(r *usagereport.Report, zone string) []string {
	lines := make([]string, len(r.Items))
	for i := range r.Items {
		row := &r.Items[i]
		key := []string{zone, strings.Join(r.GroupBy, ","), *row.Name}
		for _, by := range r.GroupBy {
			value := ""
			if v := row.Group[by]; v != nil {
				value = *v
			}
			key = append(key, value)
		}
		lines[i] = fmt.Sprintf("%s: %d %d %s %d", strings.Join(key, "|"), row.Calls, row.Tokens.Total, row.Cost.Text(), row.UnpricedCalls)
	}
	return lines
}
