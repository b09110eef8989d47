package queryhttp_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
)

// Whatever stands in a value, it is a value: it is found where it was recorded,
// and nothing else happens.
func TestHostileValues(t *testing.T) {
	fulltest.Long(t)
	values := []string{
		`'`, `"`, `\`, `\'`, `'; DROP TABLE frames; --`, "a\tb\nc\r", "\x00", "\xff\xfe", `{tenant:String}`, `{{.}}`, `%`, `?`, `$1`, "🎞", `\N`, `NULL`, `[1,2]`, "a,b", ` `,
	}
	db := querytest.Open(t)
	var recordings []querytest.Recording
	for i, v := range values {
		tag := map[string]string{v: v}
		rec := querytest.Recording{Session: v, Stream: i + 1, State: schema.StreamState{Title: "t" + v, Tags: tag}}
		rec.Spans = []schema.Span{{Fact: schema.Fact{ID: v, Agent: v, Node: v, Run: v}, Kind: schema.SpanTool, Name: v, Model: v, Status: schema.StatusOK, Started: ns(0), Ended: ns(1)}}
		rec.Messages = []schema.Message{{Fact: schema.Fact{ID: v, Agent: v}, Kind: schema.MessageUser, Text: v, Started: ns(0), Ended: ns(0)}}
		rec.Usages = []schema.Usage{{Fact: schema.Fact{ID: v, Agent: v, Node: v}, Scope: v, Mode: schema.UsageAdd, At: ns(0), Model: v, Tokens: schema.Tokens{Input: 1}}}
		rec.Frames = []schema.Frame{{At: ns(0), Raw: []byte(v), Envelope: schema.Envelope{Type: v, Agent: v, Node: v}}}
		recordings = append(recordings, rec)
	}
	db.Add(recordings...)
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	for _, v := range values {
		q := url.QueryEscape(v)
		filters := []string{"agent=" + q, "tool=" + q, "model=" + q}
		if utf8.ValidString(v) {
			filters = append(filters, "q="+q) // what is not UTF-8 has no upper and lower case
		}
		if !strings.Contains(v, ":") { // which a tag's name cannot hold
			filters = append(filters, "tag="+q, "tag="+url.QueryEscape(v+":"+v))
		}
		// All filters at once: each of them has to find the session.
		filter := strings.Join(filters, "&")
		page := get[query.Page[sessionhead.Summary]](a, "/v1/sessions?limit=500&"+filter)
		found := false
		for _, s := range page.Items {
			found = found || s.Title == valid("t"+v)
		}
		if !found {
			t.Errorf("%s (%q) finds %d sessions, not the one it names", filter, v, len(page.Items))
		}
		if status, _, body := a.ask("GET", "/v1/compare?a="+q+"&b="+q); status != 200 {
			t.Errorf("%q compared with itself: %d %s", v, status, body)
		}
		session := "/v1/sessions/" + url.PathEscape(v)
		for _, path := range []string{"", "/timeline", "/transcript?chunks=1", "/frames?agent=" + q, "/frames?node=" + q} {
			if status, _, body := a.ask("GET", session+path); status != 200 {
				t.Errorf("%q%s: %d %s", v, path, status, body)
			}
		}
		if status, _, body := a.ask("GET", session+"/frames?raw=1&node="+q); status != 200 || string(body) != v {
			t.Errorf("%q raw: %d %q", v, status, body)
		}
		if strings.Contains(v, ",") || strings.TrimSpace(v) != v {
			continue // group_by separates and trims its names
		}
		report := get[usagereport.Report](a, "/v1/usage?group_by=session,"+url.QueryEscape("tag:"+v))
		if len(report.Items) != len(values) {
			t.Errorf("usage by tag %q has %d rows, want %d", v, len(report.Items), len(values))
		}
	}
	if tools := get[toolreport.Report](a, "/v1/tools?group_by=tool,agent,session&slowest=100"); len(tools.Items) != len(values) {
		t.Errorf("tools: %d rows, want %d", len(tools.Items), len(values))
	}
}

// valid is the text as JSON can say it.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD\uFFFD") }
