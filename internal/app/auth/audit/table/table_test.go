package table

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/schema/clickhouse/clickhousetest"
)

// rig is a log, ClickHouse, and what asks it.
type rig struct {
	t    *testing.T
	nc   *nats.Conn
	db   driver.Conn
	log  *audit.Log
	http Handler
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, nc: localtest.NATS(t)}
	var err error
	r.db = clickhousetest.New(t).Conn
	if r.log, err = audit.Open(audit.Options{NATS: r.nc}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.log.Close(context.Background()) })
	r.http = Handler{&endpoint.Base{Reader: query.NewReader(r.db), Log: slog.New(slog.DiscardHandler), Clock: time.Now}}
	return r
}

// write runs a writer until the test ends.
func (r *rig) write(retention time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	w := NewWriter(WriterOptions{NATS: r.nc, DB: r.db, Retention: retention, Log: slog.New(slog.NewTextHandler(r.t.Output(), nil))})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	r.t.Cleanup(func() { cancel(); <-done })
}

func (r *rig) record(e audit.Entry) {
	r.t.Helper()
	if err := r.log.Record(r.t.Context(), e); err != nil {
		r.t.Fatal(err)
	}
}

// get asks for entries and returns the answer's body.
func (r *rig) get(tenant, params string) string {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.http.Entries(w, httptest.NewRequestWithContext(r.t.Context(), "GET", "/v1/audit?"+params, nil), tenant)
	if w.Code != 200 {
		r.t.Fatalf("%s: %d %s", params, w.Code, w.Body)
	}
	return w.Body.String()
}

type page struct {
	Items []audit.Entry
	Next  *string
}

func (r *rig) list(tenant, params string) page {
	r.t.Helper()
	var p page
	if err := json.Unmarshal([]byte(r.get(tenant, params)), &p); err != nil {
		r.t.Fatal(err)
	}
	return p
}

// objects returns the objects of entries and their outcomes.
func objects(p page) string {
	var all []string
	for _, e := range p.Items {
		all = append(all, e.Object+":"+string(e.Outcome))
	}
	return strings.Join(all, " ")
}

// Entries are listed once, the latest first, by tenant and filter; of a change that has
// ended only the end.
func TestList(t *testing.T) {
	r := newRig(t)
	start := time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	ci, ops := audit.Principal{Kind: "token", ID: "t1", Name: "ci"}, audit.Principal{Kind: "token", ID: "t2", Name: "ops"}
	add := func(minute int, tenant string, by audit.Principal, a audit.Action, object string, outcomes ...audit.Outcome) {
		e := audit.Of(tenant, by, a, object, audit.Begun)
		e.At, e.ID, e.Remote, e.RequestID = start.Add(time.Duration(minute)*time.Minute), fmt.Sprintf("id%02d", minute), "192.0.2.7", "r"
		for _, o := range outcomes {
			e.Outcome = o
			r.record(e)
		}
	}
	add(1, "acme", ci, audit.SessionReplay, "a", audit.Done)
	add(2, "acme", ops, audit.SessionDelete, "b", audit.Begun, audit.Done)
	add(3, "other", ci, audit.FramesRead, "c", audit.Done)
	add(4, "acme", ops, audit.SessionDelete, "d", audit.Begun) // the server was killed
	add(5, "acme", ci, audit.TokenCreate, "e", audit.Refused)
	r.write(0)
	bounded.Until(t, "all is stored", func() bool { return len(r.list("", "").Items) == 5 })
	all := r.list("", "")
	if got := objects(all); got != "e:refused d:begun c:done b:done a:done" || all.Next != nil {
		t.Errorf("all: %s", got)
	}
	if e := all.Items[4]; e.Principal != ci || e.Remote != "192.0.2.7" || e.Kind != "session" || !e.At.Equal(start.Add(time.Minute)) || e.RequestID != "r" || e.Tenant != "acme" {
		t.Errorf("%+v", e)
	}
	for params, want := range map[string]string{
		"":                      "e:refused d:begun b:done a:done",
		"principal=ops":         "d:begun b:done",
		"principal=t1":          "e:refused a:done",
		"action=session":        "d:begun b:done a:done",
		"action=session.replay": "a:done",
		"object=c":              "",
		"outcome=begun":         "d:begun",
		"from=" + start.Add(2*time.Minute).Format(time.RFC3339) + "&to=" + start.Add(4*time.Minute).Format(time.RFC3339): "b:done",
	} {
		if got := objects(r.list("acme", params)); got != want {
			t.Errorf("%s: %q, want %q", params, got, want)
		}
	}
	// Page by page the same.
	var paged []string
	for cursor := "limit=2"; ; {
		p := r.list("", cursor)
		paged = append(paged, objects(p))
		if p.Next == nil {
			break
		}
		cursor = "limit=2&cursor=" + *p.Next
	}
	if got := strings.Join(paged, " | "); got != "e:refused d:begun | c:done b:done | a:done" {
		t.Errorf("pages: %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(r.get("acme", "format=csv"))).ReadAll()
	if err != nil || len(rows) != 5 || rows[1][8] != "e" || rows[0][8] != "object" {
		t.Errorf("CSV: %v %v", rows, err)
	}
	if lines := strings.Count(r.get("", "format=ndjson&principal=ci"), "\n"); lines != 3 {
		t.Errorf("%d lines of NDJSON", lines)
	}
	if text := r.get("acme", "format=csv&object=none"); !strings.HasPrefix(text, "at,tenant,") {
		t.Errorf("CSV without entries: %q", text)
	}
}

// A message that cannot be read holds up no other, and what is inserted again counts once.
func TestWriter(t *testing.T) {
	metrictest.Grow(t, "tapedeck_audit_unreadable_total")
	r := newRig(t)
	e := audit.Of("acme", audit.ServerItself, audit.Expire, "x", audit.Done)
	e.ID, e.At = "id", time.Now()
	r.record(e)
	js, err := jetstream.New(r.nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), audit.Subject, []byte("no entry")); err != nil {
		t.Fatal(err)
	}
	r.write(30 * 24 * time.Hour)
	bounded.Until(t, "it is stored", func() bool { return len(r.list("", "").Items) == 1 })
	w := NewWriter(WriterOptions{DB: r.db})
	if err := w.insert(t.Context(), []audit.Entry{e}); err != nil {
		t.Fatal(err)
	}
	if p := r.list("", ""); len(p.Items) != 1 {
		t.Errorf("%d entries after the same was inserted again", len(p.Items))
	}
	var rows uint64
	bounded.Until(t, "nothing is left in JetStream", func() bool {
		s, err := js.Stream(t.Context(), audit.StreamName)
		return err == nil && s.CachedInfo().State.Msgs == 0
	})
	old := e
	old.ID, old.At = "old", time.Now().Add(-31*24*time.Hour)
	if err := w.insert(t.Context(), []audit.Entry{old}); err != nil {
		t.Fatal(err)
	}
	if err := r.db.Exec(t.Context(), "OPTIMIZE TABLE audit_log FINAL"); err != nil {
		t.Fatal(err)
	}
	if err := r.db.QueryRow(t.Context(), "SELECT count() FROM audit_log").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows after 30 days, %v", rows, err)
	}
}
