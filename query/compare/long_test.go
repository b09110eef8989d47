package compare_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// Of a session of 50,000 steps and one with more than can be compared the first are compared,
// within bounds of time and memory that do not grow with the sessions, and the answer names the
// bound.
func testManySteps(t *testing.T, w *world) {
	w.db.Add(tools(w, "many-a", 50_000, -1), tools(w, "many-b", compare.MostSteps+1, 700))
	r := query.NewReader(w.db.Conn, query.WithLimits(query.Limits{Time: 30 * time.Second, Memory: 512 << 20}))
	for _, limit := range []int{1000, compare.MostSteps} {
		q := compare.Query{Tenant: w.tenant, A: "many-a", B: "many-b", Steps: limit, Row: -1}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := querytest.Must[*compare.Comparison](t)(compare.Read(t.Context(), r, q))
		runtime.ReadMemStats(&after)
		if c.A.Steps != limit || c.B.Steps != limit || !c.A.Truncated || !c.B.Truncated {
			t.Errorf("limit %d: %d and %d steps, truncated %v and %v", limit, c.A.Steps, c.B.Steps, c.A.Truncated, c.B.Truncated)
		}
		// One step is another one: the call of it, on both sides.
		if n := len(c.Steps); n != limit || c.Summary.SameSteps != 700 || c.Summary.Classes[compare.ArgumentsChanged] != 1 {
			t.Errorf("limit %d: %d rows, the same for %d, %v", limit, n, c.Summary.SameSteps, c.Summary.Classes)
		}
		if want := fmt.Sprintf("(the first %d and %d steps were compared", limit, limit); !strings.Contains(c.Summary.Sentence, want) {
			t.Errorf("%q does not contain %q", c.Summary.Sentence, want)
		}
		t.Logf("limit %d: %d bytes were allocated for a step", limit, (after.TotalAlloc-before.TotalAlloc)/uint64(limit)/2)
		if read, bound := after.TotalAlloc-before.TotalAlloc, uint64(limit)*2*16<<10; read > bound {
			t.Errorf("limit %d: %d bytes were allocated, the bound is %d", limit, read, bound)
		}
	}
}

// tools returns a session of calls of tools, of which one has other arguments.
func tools(w *world, id string, steps, other int) querytest.Recording {
	s := w.session(id)
	for i := range steps {
		arguments := fmt.Sprintf(`{"path":"/src/file%d.go"}`, i)
		if i == other {
			arguments = `{"path":"/src/another.go"}`
		}
		call, from, to := s.next("tool")
		span := querytest.Tool(call, "read", schema.StatusOK, from, to)
		span.Parent = s.in
		s.rec.Spans = append(s.rec.Spans, span)
		s.said(schema.MessageArguments, call, arguments, from)
	}
	return s.rec
}
