package sessionframes_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/change"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

// TestKept reads pages of a session whose streams are kept. A change that is announced is on the next
// page, and a session that is not there yet is found once it is.
func TestKept(t *testing.T) {
	db := querytest.New(t)
	nc := localtest.NATS(t)
	js, err := jetstream.New(nc)
	if err == nil {
		err = change.EnsureStream(t.Context(), js, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	cache := querytest.Must[*sessioncache.Cache](t)(sessioncache.New(sessioncache.Options{NATS: nc}))
	t.Cleanup(cache.Close)
	announcer := querytest.Must[*change.Announcer](t)(change.NewAnnouncer(nc))
	r := query.NewReader(db.Conn, query.WithSessionCache(cache))
	ask := sessionframes.Query{Tenant: querytest.Tenant, Session: "s", Limit: 100}
	page := func() (int, error) {
		p, err := sessionframes.Read(t.Context(), r, ask)
		if err != nil {
			return 0, err
		}
		return len(p.Items), nil
	}
	add := func(stream int, second float64) {
		t.Helper()
		db.Add(querytest.Recording{Session: "s", Stream: stream, Frames: []schema.Frame{querytest.Frame(0, second, "a", "{}\n")}})
		if err := announcer.Sessions(t.Context(), tombstone.Key{Tenant: querytest.Tenant, Session: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := page(); err == nil {
		t.Errorf("a session that is not there has a page of %d frames", n)
	}
	for i, second := range []float64{1, 5, 0.5} { // after and before the frames there are
		add(i+1, second)
		for range 3 {
			if n, err := page(); n != i+1 || err != nil {
				t.Fatalf("after %d streams a page has %d frames: %v", i+1, n, err)
			}
		}
	}
	for range 2 { // the density does not change what is kept
		view := sessionframes.WithView(t.Context(), &sessionframes.View{From: querytest.AtSecond(2), To: querytest.AtSecond(3)})
		_ = querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(view, r, querytest.Tenant, "s", 10))
	}
	d := querytest.Must[*sessionframes.Density](t)(sessionframes.ReadDensity(t.Context(), r, querytest.Tenant, "s", 1))
	querytest.Equal(t, "the length of the session, ms", 4500.0, d.DurationMS)
	metrictest.Of(cache).Show(t, "tapedeck_session_cache_hits_total")
}
