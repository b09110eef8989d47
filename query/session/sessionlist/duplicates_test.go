package sessionlist_test

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Filters by tokens, and the order of tokens with its pages, leave out the records that do not count, as the tokens that are
// shown do.
func TestTokensWithoutDuplicates(t *testing.T) {
	db := querytest.Open(t)
	of := func(session string, stream int, records ...schema.Usage) querytest.Recording {
		return querytest.Recording{Session: session, Stream: stream, State: schema.StreamState{Dialect: "otlp"}, Usages: records}
	}
	used := func(id string, tokens uint64) schema.Usage {
		return querytest.Used(id, "gpt-5", 1, schema.Tokens{Input: tokens})
	}
	running := func(id string, second float64, tokens uint64) schema.Usage {
		u := querytest.Used(id, "gpt-5", second, schema.Tokens{Input: tokens})
		u.Mode, u.Scope = schema.UsageRunning, "thread"
		return u
	}
	mark := func(tenant, session, usage string, stream, version, duplicate int) string {
		return fmt.Sprintf("('%s', '%s', '%s', '%s', %d, %d)", tenant, session, querytest.StreamID(stream), usage, version, duplicate)
	}
	db.Add(
		of("none", 1, used("other", 10_000)),
		of("part", 2, used("other", 9000), used("own", 1000)),
		of("twice", 3, used("other", 7000), used("own", 2000)),
		of("twice", 4, used("other", 7000), used("own", 2000)),
		of("total", 5, running("other", 1, 2500), running("own", 2, 6000)),
		of("eight", 6, used("own", 8000)),
		of("five", 7, used("own", 5000)),
	)
	db.Exec("INSERT INTO duplicate_usage (tenant, session_id, stream_id, usage_id, version, duplicate) VALUES " + strings.Join([]string{
		mark(db.Tenant, "none", "other", 1, 1, 1),
		mark(db.Tenant, "part", "other", 2, 1, 1),
		mark(db.Tenant, "twice", "other", 3, 1, 1),
		mark(db.Tenant, "twice", "other", 4, 1, 1),
		mark(db.Tenant, "total", "other", 5, 1, 1),
		mark(db.Tenant, "eight", "own", 6, 1, 1), // taken back
		mark(db.Tenant, "eight", "own", 6, 2, 0),
		mark(db.Tenant+"-other", "five", "own", 7, 1, 1),
	}, ", "))
	r := querytest.Reader(db, 100)
	for _, tc := range []struct {
		name   string
		filter sessionfilter.Filter
		sort   sessionfilter.Sort
		want   string
	}{
		{"all", sessionfilter.Filter{}, "-tokens", "eight:8000 five:5000 total:3500 twice:2000 part:1000 none:0 "},
		{"more than 1000", sessionfilter.Filter{MinTokens: 1001}, "tokens", "twice:2000 total:3500 five:5000 eight:8000 "},
		{"none", sessionfilter.Filter{MaxTokens: querytest.Ptr[int64](0)}, "", "none:0 "},
	} {
		q := sessionlist.Query{Tenant: db.Tenant, Filter: tc.filter, Sort: tc.sort, Limit: 3, Limits: sessionfilter.Limits{Spare: -1}}
		querytest.Equal(t, tc.name, tc.want, lineOf(pages(t, r, q), func(s *sessionhead.Summary) float64 { return float64(s.Tokens.Total) }))
	}
}
