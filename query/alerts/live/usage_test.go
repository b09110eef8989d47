package live_test

import (
	"fmt"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/live"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

var budget = []rule.Rule{{Kind: rule.Budget, Tokens: 1}}

// A session whose runs have ended has its usage while its stream has not ended, also when it has no frames for a while.
func TestUsageOfIdle(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "idle", Stream: 1, Live: true, Spans: []schema.Span{querytest.Run("r", schema.StatusOK, 0, 5)},
		Usages: []schema.Usage{querytest.Used("u", "gpt-5", 5, schema.Tokens{Input: 100, Output: 20})}})
	r := querytest.Reader(db, 300, query.WithQuietAfter(30e9))
	list := querytest.Must[[]*evaluate.Session](t)(live.NewReader(r, budget).Sessions(t.Context(), db.Tenant, r.Now()))
	if len(list) != 1 || list[0].Tokens != 120 || list[0].Costs["USD"].IsZero() {
		t.Errorf("%+v", list)
	}
}

// All sessions have their usage if there are more than one statement reads.
func TestUsageOfMany(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Open(t)
	var recordings []querytest.Recording
	for i := range 1100 {
		recordings = append(recordings, querytest.Recording{Session: fmt.Sprint("s", i), Stream: i + 1, Live: true,
			Usages: []schema.Usage{querytest.Used("u", "gpt-5", float64(i%7), schema.Tokens{Input: uint64(i + 1)})}})
	}
	db.Add(recordings...)
	r := querytest.Reader(db, 20)
	list := querytest.Must[[]*evaluate.Session](t)(live.NewReader(r, budget).Sessions(t.Context(), db.Tenant, r.Now()))
	if len(list) != 1100 {
		t.Fatalf("%d sessions", len(list))
	}
	for _, s := range list {
		var i int64
		if _, err := fmt.Sscanf(s.ID, "s%d", &i); err != nil || s.Tokens != i+1 {
			t.Errorf("session %s has %d tokens, %v", s.ID, s.Tokens, err)
		}
	}
}
