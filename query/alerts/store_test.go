package alerts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
)

func alert(tenant, id string, began float64) *evaluate.Alert {
	return &evaluate.Alert{ID: id, Rule: "hangs", Kind: rule.ToolOpen, Session: "s", SpanID: query.Named("t"), SpanName: query.Named("bash"),
		Detail: "it hangs", Began: querytest.When(began), Tenant: tenant, Stream: querytest.StreamID(1), Key: "key-" + id}
}

func ids(t *testing.T, r *query.Reader, q alerts.Query) string {
	t.Helper()
	var all []string
	for {
		page := querytest.Must[*query.Page[*evaluate.Alert]](t)(alerts.List(t.Context(), r, q))
		for _, a := range page.Items {
			all = append(all, a.ID)
		}
		if page.Next == nil {
			return strings.Join(all, " ")
		}
		after, err := query.ParseMark("alerts", *page.Next)
		if err != nil {
			t.Fatal(err)
		}
		q.After = after
	}
}

// Alerts are listed with the latest first, an alert that ended once, and none of another tenant or of a session that
// was deleted.
func TestList(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "s", Stream: 1})
	r := querytest.Reader(db, 100)
	w := querytest.Must[*alerts.Writer](t)(alerts.NewWriter(t.Context(), r))
	for i := range 5 {
		a := alert(db.Tenant, fmt.Sprint("a", i), float64(i))
		if i == 1 {
			a.Per, a.Value = new("tag:customer"), new("acme")
		}
		if err := w.Write(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			ended := querytest.When(50)
			a.Ended = &ended
			a.Rule = "hangs"
			if err := w.Write(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
	}
	for want, q := range map[string]alerts.Query{
		"a4 a3 a2 a1 a0": {Limit: 2},
		"a4 a3 a1 a0":    {Limit: 10, State: alerts.Open},
		"a2":             {Limit: 10, State: alerts.Ended, Session: "s", Rules: []string{"hangs", "other"}},
		"a3 a2":          {Limit: 10, From: querytest.When(2), To: querytest.When(4)},
		"a1":             {Limit: 10, Per: "tag:customer", Value: "acme"},
		"":               {Limit: 10, Per: "tenant", Value: "acme"},
	} {
		q.Tenant = db.Tenant
		if got := ids(t, r, q); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
	page := querytest.Must[*query.Page[*evaluate.Alert]](t)(alerts.List(t.Context(), r, alerts.Query{Tenant: db.Tenant, State: alerts.Ended, Limit: 1}))
	ended := querytest.When(50)
	want := alert(db.Tenant, "a2", 2)
	want.Ended = &ended
	querytest.Equal(t, "an alert that ended", want, page.Items[0])
	if got := ids(t, r, alerts.Query{Tenant: "other", Limit: 10}); got != "" {
		t.Errorf("another tenant reads %s", got)
	}
	known := querytest.Must[map[string]bool](t)(alerts.Known(t.Context(), r, db.Tenant, []*evaluate.Alert{alert(db.Tenant, "a1", 0), alert(db.Tenant, "b", 0)}))
	querytest.Equal(t, "known", map[string]bool{"a1": true}, known)
	var open []string
	for _, a := range querytest.Must[[]*evaluate.Alert](t)(alerts.ReadOpen(t.Context(), r)) {
		if a.Tenant == db.Tenant {
			open = append(open, a.ID+" "+a.Key+" "+a.Began.Format(time.TimeOnly))
		}
	}
	querytest.Equal(t, "open", []string{"a0 key-a0 10:00:00", "a1 key-a1 10:00:01", "a3 key-a3 10:00:03", "a4 key-a4 10:00:04"}, open)
}

// What is stored has versions in order, also after another server took over whose clock is behind. Of a tenant it is
// read page by page, each alert as it is now.
func TestVersions(t *testing.T) {
	db := querytest.New(t)
	first := querytest.Must[*alerts.Writer](t)(alerts.NewWriter(t.Context(), querytest.Reader(db, 100)))
	write := func(w *alerts.Writer, a *evaluate.Alert) {
		t.Helper()
		if err := w.Write(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	write(first, alert(db.Tenant, "a0", 0))
	write(first, alert(db.Tenant, "a1", 1))
	r := querytest.Reader(db, 50)
	behind := querytest.Must[*alerts.Writer](t)(alerts.NewWriter(t.Context(), r))
	write(behind, alert("other", "b0", 2))
	over := alert(db.Tenant, "a0", 0)
	over.Ended = querytest.Ptr(querytest.When(40))
	write(behind, over)
	start := uint64(querytest.AtSecond(100))
	for after, want := range map[uint64]string{0: "a0 a1 b0 a0", start: "a1 b0 a0", start + 3: ""} {
		var got []string
		for _, c := range querytest.Must[[]alerts.Change](t)(alerts.ReadWritten(t.Context(), r, after)) {
			got = append(got, c.Alert.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("after %d: %s, want %s", after, got, want)
		}
	}
	if newest := querytest.Must[uint64](t)(alerts.Newest(t.Context(), r)); newest != start+3 {
		t.Errorf("the newest version is %d, want %d", newest, start+3)
	}
	var got []string
	q := alerts.Query{Tenant: db.Tenant, Limit: 1}
	for after := (alerts.Change{}); ; {
		page := querytest.Must[[]alerts.Change](t)(alerts.ReadChanged(t.Context(), r, q, after))
		if len(page) == 0 {
			break
		}
		after = page[0]
		got = append(got, fmt.Sprint(after.Alert.ID, " ", after.Alert.Ended != nil, " ", after.Version-start))
	}
	querytest.Equal(t, "of the tenant", []string{"a1 false 1", "a0 true 3"}, got)
}
