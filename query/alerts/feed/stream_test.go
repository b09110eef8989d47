package feed_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/internal/slow"
	"tapedeck/query"
	"tapedeck/query/alerts/feed"
	"tapedeck/query/querytest"
	"tapedeck/schema/lifecycle/tombstone"
)

func newFeed(r *query.Reader) *feed.Feed { return feed.New(r, slog.New(slog.DiscardHandler)) }

// A client receives the open alerts in the order in which they were stored, and each begin and end that another server
// stores; of its own tenant only, and with the id of an event exactly what it does not have.
func TestStream(t *testing.T) {
	metrictest.Grow(t, "tapedeck_alerts_stream_reads_total")
	metrictest.Grow(t, "tapedeck_alerts_streams_total")
	db, foreign := querytest.Open(t), querytest.Open(t)
	r := querytest.Reader(db, 100)
	own, other := newTable(t, r, db.Tenant), newTable(t, r, foreign.Tenant)
	url, foreignURL := serve(t, r, newFeed(r), db.Tenant, 0, nil), serve(t, r, newFeed(r), foreign.Tenant, 0, nil)

	a1 := own.begin("s1", "silent", "a1")
	own.end(own.begin("s1", "silent", "a2"))
	own.begin("s2", "hangs", "a3")
	c := connect(t, url, "", "")
	c.expect("began a1", "began a3", "live 2")
	beginning := c.last()
	f := connect(t, foreignURL, "", "")
	f.expect("live 0")

	other.begin("s1", "silent", "b1")
	own.end(a1)
	c.expect("ended a1")
	a4 := own.begin("s1", "silent", "a4")
	c.expect("began a4")
	between := c.last()
	own.end(a4)
	c.expect("ended a4")
	f.expect("began b1")
	if len(f.events)+len(c.events) > 0 {
		t.Error("there are more events")
	}
	c.close()

	a5 := own.begin("s2", "hangs", "a5")
	own.end(own.begin("s2", "hangs", "a6"))
	for _, tc := range []struct {
		last string
		want []string
	}{
		{beginning, []string{"ended a1", "ended a4", "began a5", "ended a6", "live 4"}},
		{between, []string{"ended a4", "began a5", "ended a6", "live 3"}},
		{c.last(), []string{"began a5", "ended a6", "live 2"}},
	} {
		again := connect(t, url, "", tc.last)
		again.expect(tc.want...)
		if caught := connect(t, url, "last_event_id="+again.last(), ""); caught.next() != "live 0" {
			t.Errorf("after %s, and all that follows, there is more", tc.last)
		}
	}
	live := connect(t, url, "", c.last())
	live.expect("began a5", "ended a6", "live 2")
	own.end(a5)
	live.expect("ended a5")
}

// Filters select the open alerts as well as what happens later.
func TestFilters(t *testing.T) {
	db := querytest.Open(t)
	r := querytest.Reader(db, 100)
	own := newTable(t, r, db.Tenant)
	url := serve(t, r, newFeed(r), db.Tenant, 0, nil)
	a1, a2 := own.begin("s1", "silent", "a1"), own.begin("s2", "hangs", "a2")
	own.end(own.begin("s1", "silent", "a3"))
	type expected struct {
		c      *client
		events []string
	}
	var all []expected
	for query, events := range map[string][2]string{
		"session=s1":                         {"began a1,live 1", "ended a1,began a4,ended a4"},
		"session=s2&rule=silent":             {"live 0", "began a5"},
		"rule=hangs&rule=none":               {"began a2,live 1", "ended a2"},
		"state=open":                         {"began a1,began a2,live 2", "began a4,began a5"},
		"state=ended":                        {"live 0", "ended a1,ended a4,ended a2"},
		"from=" + querytestTime(15) + "&to=": {"live 0", "began a4,ended a4"},
		"per=tag:customer&value=acme":        {"live 0", "began a5"},
		"to=" + querytestTime(15):            {"began a1,began a2,live 2", "ended a1,began a5,ended a2"},
	} {
		c := connect(t, url, query, "")
		c.expect(strings.Split(events[0], ",")...)
		all = append(all, expected{c, strings.Split(events[1], ",")})
	}
	every := connect(t, url, "", "")
	every.expect("began a1", "began a2", "live 2")
	own.end(a1)
	a4 := own.write(own.alert("s1", "silent", "a4", 20))
	every.expect("ended a1", "began a4") // ClickHouse may merge the begin with the end
	own.end(a4)
	a5 := own.alert("s2", "silent", "a5", 10)
	a5.Per, a5.Value = new("tag:customer"), new("acme")
	own.write(a5)
	own.end(a2)
	for _, e := range all {
		e.c.expect(e.events...)
	}
	for query, parameter := range map[string]string{
		"state=none": "state", "limit=10": "limit", "cursor=x": "cursor", "last_event_id=-1": "last_event_id", "last_event_id=1.2.x": "last_event_id",
		"from=2026-01-02&to=2026-01-01": "to", "session=a&session=b": "session",
	} {
		resp, err := http.Get(url + "/?" + query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 400 || !strings.Contains(string(body), `"parameter":"`+parameter+`"`) {
			t.Errorf("%s: %d %s %v", query, resp.StatusCode, body, err)
		}
	}
}

func querytestTime(second float64) string { return querytest.When(second).Format(time.RFC3339) }

// A change that can be read only after later ones, since another server stored it before, is not lost: neither by a client
// that is connected nor by one that connects again.
func TestLateChange(t *testing.T) {
	db := querytest.New(t)
	r := querytest.Reader(db, 100)
	url := serve(t, r, newFeed(r), db.Tenant, 0, nil)
	late, early := newTable(t, querytest.Reader(db, 1000), db.Tenant), newTable(t, querytest.Reader(db, 990), db.Tenant)
	c := connect(t, url, "", "")
	c.expect("live 0")
	late.begin("s", "silent", "a1")
	c.expect("began a1")
	id := c.last()
	early.begin("s", "silent", "a0")
	c.expect("began a0")
	if again := connect(t, url, "", id); again.next() != "began a0" || again.next() != "live 1" {
		t.Errorf("after a1: not a0 alone")
	}
	if again := connect(t, url, "", c.last()); again.next() != "live 0" {
		t.Errorf("after both there is more")
	}
}

// Alerts of a session that was deleted are not sent: neither those that are open nor those that are stored at the same time.
func TestDeleted(t *testing.T) {
	db := querytest.New(t)
	db.Add(querytest.Recording{Session: "gone", Stream: 1}, querytest.Recording{Session: "kept", Stream: 1})
	db.Merge() // deletion waits for it
	r := querytest.Reader(db, 100)
	own := newTable(t, r, db.Tenant)
	url := serve(t, r, newFeed(r), db.Tenant, 0, nil)
	before := connect(t, url, "", "")
	before.expect("live 0")
	gone := own.begin("gone", "silent", "a1")
	before.expect("began a1")
	id := before.last()
	if err := r.Deleter().Delete(t.Context(), tombstone.Key{Tenant: db.Tenant, Session: "gone"}); err != nil {
		t.Fatal(err)
	}
	own.end(gone)
	own.begin("kept", "silent", "a2")
	before.expect("began a2")
	connect(t, url, "", "").expect("began a2", "live 1")
	connect(t, url, "", id).expect("began a2", "live 1")
}

// A client that takes nothing is disconnected.
func TestStuckClient(t *testing.T) {
	db := querytest.New(t)
	r := querytest.Reader(db, 100)
	own := newTable(t, r, db.Tenant)
	for i := range 40 {
		a := own.alert("s", "silent", string(rune('a'+i)), 10)
		a.Detail = strings.Repeat("x", 1<<20)
		own.write(a)
	}
	url := serve(t, r, newFeed(r), db.Tenant, 0, slow.NewTimeout(100*time.Millisecond))
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	before := metrictest.Process(t)["tapedeck_slow_clients_total"]
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the client is disconnected", func() bool { return metrictest.Process(t)["tapedeck_slow_clients_total"] > before })
}

// A comment is sent at an interval, and a stream goes on after readings that failed.
func TestFailures(t *testing.T) {
	db := querytest.Open(t)
	away := &flaky{Conn: db.Conn}
	r := query.NewReader(away)
	own := newTable(t, querytest.Reader(db, 100), db.Tenant)
	url := serve(t, r, newFeed(r), db.Tenant, 10*time.Millisecond, nil)
	away.fails.Store(true)
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d", resp.StatusCode)
	}
	away.fails.Store(false)
	c := connect(t, url, "", "")
	c.expect("live 0", ": heartbeat")
	away.fails.Store(true)
	asked := away.asked.Load()
	own.begin("s", "silent", "a1")
	bounded.Until(t, "two readings fail", func() bool { return away.asked.Load() > asked+1 })
	away.fails.Store(false)
	for event := ""; event != "began a1"; event = c.next() {
		if event != "" && event != ": heartbeat" {
			t.Fatal(event)
		}
	}
}

// flaky is a connection on which statements fail.
type flaky struct {
	driver.Conn
	fails atomic.Bool
	asked atomic.Int64
}

func (c *flaky) Select(ctx context.Context, to any, statement string, args ...any) error {
	c.asked.Add(1)
	if c.fails.Load() {
		return errors.New("no answer")
	}
	return c.Conn.Select(ctx, to, statement, args...)
}
