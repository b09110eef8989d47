package rollup_test

import (
	"testing"

	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// A row without a session does not make all usage unsettled, unless it is a tombstone: that of a whole
// tenant.
func TestRowWithoutSession(t *testing.T) {
	w := newWorld(t)
	add := func(session string, stream int) {
		w.db.Add(querytest.Recording{Session: session, Stream: stream, State: tagged("c1"), Usages: []schema.Usage{
			querytest.Used("r1", "gpt-5", 60, schema.Tokens{Input: 1}),
		}})
	}
	add("a", 1)
	w.settle()
	batches := func() []string {
		return querytest.Must[*rollup.View](t)(rollup.Read(t.Context(), w.fast, querytest.Tenant, nil, nil)).IDs()
	}
	before := batches()
	add("", 2)
	w.equalUnsettled("a row without a session", nil)
	w.settle()
	querytest.Equal(t, "batches", before, batches())
}
