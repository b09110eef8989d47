package sessionlist_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/endpoint"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// A session is outdated if the facts of one of its segments that count are of an earlier
// version of the decoders.
func TestOutdated(t *testing.T) {
	db := querytest.Open(t)
	by := func(session string, stream int, decoders uint32) querytest.Recording {
		return querytest.Recording{
			Session: session, Stream: stream, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, float64(stream), float64(stream)+1)},
			State: schema.StreamState{DecoderVersion: decoders},
		}
	}
	resumed := by("resumed", 6, 7) // after it was decoded again, by a tap of an earlier version
	resumed.State.DecoderVersion, resumed.State.FirstSeq = 6, 9
	db.Add(
		by("before the column", 1, 0), by("earlier", 2, 6), by("same", 3, 7), by("later", 4, 8),
		by("half", 5, 7), by("half", 50, 6), by("resumed", 6, 0), by("decoded again", 7, 6), by("half way", 8, 6),
	)
	db.AddGeneration(100, by("resumed", 6, 7), by("decoded again", 7, 7), by("half way", 8, 7))
	db.Commit(100, by("resumed", 6, 7), 0)
	db.Commit(100, by("decoded again", 7, 7), 0)
	db.Add(resumed)

	want := []string{"before the column", "earlier", "half", "half way", "resumed"}
	for _, tc := range []struct {
		version uint32
		limit   int
		want    []string
	}{{0, 10, nil}, {7, 10, want}, {7, 1, want}} {
		r := querytest.Reader(db, 1e6, query.WithDecoderVersion(tc.version))
		q := sessionlist.Query{Tenant: db.Tenant, Limit: tc.limit, Sort: "started", Filter: sessionfilter.Filter{Outdated: true}}
		var got []string
		for {
			page := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, q))
			for _, s := range page.Items {
				got = append(got, s.ID)
			}
			if page.Next == nil {
				break
			}
			q.Cursor = *page.Next
		}
		slices.Sort(got)
		querytest.Equal(t, "outdated", strings.Join(tc.want, ", "), strings.Join(got, ", "))
	}

	h := sessionlist.Handler{Base: &endpoint.Base{Reader: querytest.Reader(db, 1e6, query.WithDecoderVersion(7)), Clock: time.Now}}
	w := httptest.NewRecorder()
	h.Sessions(w, httptest.NewRequest("GET", "/v1/sessions?outdated=1&dialect=loom", nil), db.Tenant)
	if n := strings.Count(w.Body.String(), `"title"`); n != len(want) {
		t.Errorf("%d sessions, want %d: %s", n, len(want), w.Body)
	}
}
