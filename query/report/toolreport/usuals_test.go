package toolreport_test

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/schema"
)

// The times of a tool are read once in a minute for each tenant, also those of a tool with too few calls.
func TestUsuals(t *testing.T) {
	db := querytest.Open(t)
	calls := func(stream int, tool string, n int, seconds float64) querytest.Recording {
		r := querytest.Recording{Session: fmt.Sprint(tool, stream), Stream: stream}
		for i := range n {
			begin := float64(100 * i)
			r.Spans = append(r.Spans, querytest.Tool(fmt.Sprint(tool, stream, i), tool, schema.StatusOK, begin, begin+seconds))
		}
		return r
	}
	db.Add(calls(1, "bash", 20, 1), calls(2, "ls", 19, 1))
	now := querytest.When(5000)
	r := query.NewReader(db.Conn, query.WithClock(func() time.Time { return now }))
	usuals := toolreport.NewUsuals()
	read := func(tenant string) map[string]toolreport.Usual {
		return querytest.Must[map[string]toolreport.Usual](t)(usuals.Read(t.Context(), r, tenant, map[string]bool{"bash": true, "ls": true}))
	}
	first := map[string]toolreport.Usual{"bash": {Calls: 20, P99MS: 1000}}
	querytest.Equal(t, "at first", first, read(db.Tenant))
	db.Add(calls(3, "bash", 20, 1), calls(4, "ls", 1, 1))
	now = now.Add(time.Minute)
	querytest.Equal(t, "within a minute", first, read(db.Tenant))
	querytest.Equal(t, "of another tenant", map[string]toolreport.Usual{}, read("other-"+db.Tenant))
	now = now.Add(time.Second)
	querytest.Equal(t, "after a minute", map[string]toolreport.Usual{"bash": {Calls: 40, P99MS: 1000}, "ls": {Calls: 20, P99MS: 1000}}, read(db.Tenant))
}
