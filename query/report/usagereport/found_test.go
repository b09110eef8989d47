package usagereport_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Findings of sessions are in each row that has usage of the session, and once in the totals.
// Session "both" has a record whose total is not its sum and two model calls that were cut
// off, "lost" lost three frames, and "fine" has nothing.
func TestFindings(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	wrong := querytest.Used("a", "gpt-5", 0, schema.Tokens{Input: 10})
	wrong.Total = 11
	cut := func(id string) schema.Span {
		s := querytest.Span(schema.SpanLLM, id, "", "", schema.StatusUnclosed, 0, 1)
		s.Run = "a run without usage"
		return s
	}
	db.Add(
		querytest.Recording{Session: "both", Stream: 1, Spans: []schema.Span{cut("c1"), cut("c2")}, Usages: []schema.Usage{
			wrong, querytest.Used("b", "gpt-5-mini", 24*3600, schema.Tokens{Input: 20}),
		}},
		querytest.Recording{Session: "lost", Stream: 2, State: schema.StreamState{Counters: schema.Counters{Lost: 3}}, Usages: []schema.Usage{
			querytest.Used("c", "gpt-5", 1, schema.Tokens{Input: 30}),
		}},
		querytest.Recording{Session: "fine", Stream: 3, Usages: []schema.Usage{querytest.Used("d", "gpt-4o", 2, schema.Tokens{Input: 40})}},
		querytest.Recording{Session: "lost", Stream: 4, Tenant: "other", State: schema.StreamState{Counters: schema.Counters{Lost: 9}},
			Usages: []schema.Usage{querytest.Used("c", "gpt-5", 1, schema.Tokens{Input: 30})}},
	)
	r := querytest.Reader(db, 1e6)
	const both, lost = "record_total 1 in 1, cut_off 2 in 1", "lost_frames 3 in 1"
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want []string // period, model: sessions with findings, findings, by code; the totals last
	}{
		{"of all", usagereport.Query{}, []string{" : 2 6 " + both + ", " + lost, "total: 2 6 " + both + ", " + lost}},
		{"by model", usagereport.Query{GroupBy: []string{"model"}}, []string{
			" gpt-4o: 0 0 ", " gpt-5: 2 6 " + both + ", " + lost, " gpt-5-mini: 1 3 " + both, "total: 2 6 " + both + ", " + lost,
		}},
		{"by day and model", usagereport.Query{GroupBy: []string{"model"}, Granularity: grouping.Daily}, []string{
			"2026-03-02 gpt-4o: 0 0 ", "2026-03-02 gpt-5: 2 6 " + both + ", " + lost, "2026-03-03 gpt-5-mini: 1 3 " + both, "total: 2 6 " + both + ", " + lost,
		}},
		{"the first model", usagereport.Query{GroupBy: []string{"model"}, Order: "-tokens", Top: 1}, []string{
			// gpt-5 and gpt-4o have 40 tokens each, and the names decide.
			" gpt-4o: 0 0 ", " : 2 6 " + both + ", " + lost, "total: 2 6 " + both + ", " + lost,
		}},
		{"of the second day", usagereport.Query{From: querytest.When(23 * 3600)}, []string{" : 1 3 " + both, "total: 1 3 " + both}},
		{"of no time", usagereport.Query{From: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}, []string{"total: 0 0 "}},
	} {
		tc.q.Tenant, tc.q.Findings = db.Tenant, true
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
		var got []string
		for i := range report.Items {
			row := &report.Items[i]
			name, model := "", ""
			if row.Name != nil {
				name = *row.Name
			}
			if m := row.Group["model"]; m != nil {
				model = *m
			}
			got = append(got, name+" "+model+": "+foundText(row.Findings))
		}
		got = append(got, "total: "+foundText(report.Totals.Findings))
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
		if report.Totals.Calls > 0 {
			plain := tc.q
			plain.Findings = false
			if without := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, plain)); without.Totals.Findings != nil {
				t.Errorf("%s: findings that were not asked for", tc.name)
			}
		}
	}
}

// TestFindingsOfUnreadUsage has a session of which no usage could be read, so that it is in no row: its
// frames are findings in the totals, of the range and the sessions that the report is of. A session
// that has records too counts once.
func TestFindingsOfUnreadUsage(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	unread := func(seq uint64, seconds float64) schema.Frame {
		f := querytest.Frame(seq, seconds, "x", `{"usage":{"tokens":7}}`)
		f.Flags = schema.FlagUnreadUsage
		return f
	}
	db.Add(
		querytest.Recording{Session: "none", Stream: 1, Frames: []schema.Frame{unread(0, 0), unread(1, 1)}},
		querytest.Recording{Session: "some", Stream: 2, Frames: []schema.Frame{unread(0, 2)}, Usages: []schema.Usage{
			querytest.Used("a", "gpt-5", 2, schema.Tokens{Input: 10}),
		}},
		querytest.Recording{Session: "none", Stream: 3, Tenant: "other", Frames: []schema.Frame{unread(0, 0)}},
	)
	r := querytest.Reader(db, 1e6)
	for _, tc := range []struct {
		name string
		q    usagereport.Query
		want string // of the rows, and of the totals
	}{
		{"of all", usagereport.Query{}, "1 1 unread_usage 1 in 1; 2 3 unread_usage 3 in 2"},
		{"of a later time", usagereport.Query{From: querytest.When(1.5)}, "1 1 unread_usage 1 in 1; 1 1 unread_usage 1 in 1"},
		{"of an earlier time", usagereport.Query{To: querytest.When(1.5)}, "1 2 unread_usage 2 in 1"},
		{"of a session", usagereport.Query{Sessions: &sessionfilter.Filter{Models: []string{"gpt-5"}}}, "1 1 unread_usage 1 in 1; 1 1 unread_usage 1 in 1"},
	} {
		tc.q.Tenant, tc.q.Findings = db.Tenant, true
		report := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, tc.q))
		var got []string
		for i := range report.Items {
			got = append(got, foundText(report.Items[i].Findings))
		}
		if got := strings.Join(append(got, foundText(report.Totals.Findings)), "; "); got != tc.want {
			t.Errorf("%s: %s, expected %s", tc.name, got, tc.want)
		}
	}
}

func foundText(f *usagereport.Found) string {
	var codes []string
	for _, c := range f.Codes {
		codes = append(codes, fmt.Sprintf("%s %d in %d", c.Code, c.Count, c.Sessions))
	}
	return fmt.Sprintf("%d %d %s", f.Sessions, f.Findings, strings.Join(codes, ", "))
}

// A report of too many sessions is refused with the parameter's name.
func TestTooManyFindings(t *testing.T) {
	db := querytest.New(t)
	db.Exec(`INSERT INTO usage (tenant, session_id, stream_id, usage_id, seen_at, mode, at, input)
		SELECT 'acme', 's' || toString(number), 'x', 'u', now64(9), 'add', now64(9), 1 FROM numbers(50001)`)
	_, err := usagereport.Read(t.Context(), query.NewReader(db.Conn), usagereport.Query{Tenant: db.Tenant, Findings: true})
	if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != 400 || p.Parameter != "findings" {
		t.Errorf("error %v, want a problem of the parameter findings", err)
	}
}
