package queryhttp_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/facets"
	"tapedeck/query/session/streamlist"
	"tapedeck/schema"
)

func TestFacets(t *testing.T) {
	db := querytest.Open(t)
	old := conversation()
	old.Session, old.Stream = "old", 2
	old.State.FirstAt, old.State.LastAt = ns(-72*time.Hour), ns(-71*time.Hour)
	old.State.Dialect, old.State.Tags = "codex", map[string]string{"region": "eu"}
	old.Spans, old.Messages, old.Usages = []schema.Span{{
		Fact: schema.Fact{ID: "t", Agent: "elder", SeenAt: ns(-72 * time.Hour)}, Kind: schema.SpanTool, Name: "grep", Started: ns(-72 * time.Hour),
	}}, nil, nil
	foreign := conversation()
	foreign.Tenant, foreign.Stream, foreign.State.Dialect = "other", 3, "foreign"
	db.Add(conversation(), old, foreign)
	a := serve(t, db.Tenant, query.NewReader(db.Conn))
	for path, want := range map[string]facets.Facets{
		"": {
			Agents: []string{"main", "elder"}, Tools: []string{"bash", "grep"}, Models: []string{"gpt-5"},
			Dialects: []string{"codex", "loom"}, Tags: []string{"customer", "region"},
		},
		"?limit=1": {
			Agents: []string{"main"}, Tools: []string{"bash"}, Models: []string{"gpt-5"},
			Dialects: []string{"codex"}, Tags: []string{"customer"},
		},
		"?from=2026-03-01": {
			Agents: []string{"main"}, Tools: []string{"bash"}, Models: []string{"gpt-5"},
			Dialects: []string{"loom"}, Tags: []string{"customer"},
		},
		"?to=2026-03-01": {
			Agents: []string{"elder"}, Tools: []string{"grep"}, Models: []string{},
			Dialects: []string{"codex"}, Tags: []string{"region"},
		},
	} {
		if d := cmp.Diff(want, get[facets.Facets](a, "/v1/facets"+path)); d != "" {
			t.Errorf("/v1/facets%s (-want +got):\n%s", path, d)
		}
	}
}

func TestStreams(t *testing.T) {
	db := querytest.Open(t)
	stream := func(n int, last time.Duration, reason string) querytest.Recording {
		r := querytest.Recording{Session: "s", Stream: n, Live: reason == ""}
		r.State.FirstAt, r.State.LastAt, r.State.EndReason = ns(0), ns(last), reason
		r.State.Frames, r.State.Version, r.State.Tags = 10, 2, map[string]string{}
		return r
	}
	before := stream(2, 1, "") // as it was stored before it ended
	before.State.Version = 1
	foreign := stream(7, time.Hour, "")
	foreign.Tenant = "other"
	// A stream that came back to its session, and fails in its second part.
	back := stream(4, 50*time.Minute, "error: the connection was reset")
	back.State.FirstSeq = 90
	elsewhere := stream(2, time.Minute, "left")
	elsewhere.Session = "t"
	db.Add(elsewhere, stream(1, 55*time.Minute, ""), before, stream(2, 58*time.Minute, "eof"), stream(3, -time.Minute, ""),
		stream(4, 5*time.Minute, "left"), back, foreign)
	a := serve(t, db.Tenant, query.NewReader(db.Conn, query.WithClock(func() time.Time { return now })))
	second := querytest.StreamID(2)
	for path, want := range map[string][]string{
		"":                            {"s 2 eof 10", "s 1  10", "s 4 error: the connection was reset 20", "t 2 left 10", "s 3  10"},
		"?limit=2":                    {"s 2 eof 10", "s 1  10"},
		"?active=1":                   {"s 1  10"},
		"?failed=1":                   {"s 4 error: the connection was reset 20"},
		"?active=1&failed=1":          nil,
		"?session=t":                  {"t 2 left 10"},
		"?session=t&failed=1":         nil,
		"?session=none":               nil,
		"?stream=" + second:           {"s 2 eof 10", "t 2 left 10"},
		"?session=s&stream=" + second: {"s 2 eof 10"},
	} {
		page := get[query.Page[streamlist.InSession]](a, "/v1/streams"+path)
		var got []string
		for _, item := range page.Items {
			id := item.Stream.ID
			got = append(got, item.SessionID+" "+id[len(id)-1:]+" "+item.Stream.EndReason+" "+strconv.FormatUint(item.Stream.Frames, 10))
		}
		if page.Next != nil {
			t.Errorf("/v1/streams%s has another page", path)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("/v1/streams%s (-want +got):\n%s", path, d)
		}
	}
}
