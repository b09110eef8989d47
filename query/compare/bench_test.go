package compare_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/endpoint"
	"tapedeck/query/querytest"
)

// BenchmarkCompare compares two sessions of 2,000 steps over HTTP with a real ClickHouse. Every
// tenth step of the second is another one.
func BenchmarkCompare(b *testing.B) {
	const steps = 2000
	db := querytest.Open(b)
	w := &world{db: db, tenant: db.Tenant}
	long := func(id string, other int) *session {
		s := w.session(id).user("go")
		for i := range steps / 2 {
			s.llm(fmt.Sprintf("Step %d: I look at it, and say in some words what comes next.", i))
			arguments, result := fmt.Sprintf(`{"path":"/src/file%d.go","limit":%d}`, i%17, i), "package main\n\nfunc main() {}\n"
			if other > 0 && i%other == other-1 {
				arguments = fmt.Sprintf(`{"command":"make test%d"}`, i)
			}
			s.tool([]string{"read", "bash", "grep"}[i%3], arguments, result)
		}
		return s
	}
	w.add(long("a", 0), long("b", 5))
	h := compare.Handler{Base: &endpoint.Base{Reader: query.NewReader(w.db.Conn), Clock: time.Now}}
	var engine atomic.Int64 // µs of CPU time in ClickHouse, which depends less on who else is at work than the time that passes
	count := clickhouse.WithProfileEvents(func(events []clickhouse.ProfileEvent) {
		for _, e := range events {
			if e.Name == "UserTimeMicroseconds" || e.Name == "SystemTimeMicroseconds" {
				engine.Add(e.Value)
			}
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h.Compare(rw, r.WithContext(clickhouse.Context(r.Context(), count)), w.tenant)
	}))
	defer server.Close()
	var took []time.Duration
	before := ownCPU(b)
	for b.Loop() {
		began := time.Now()
		resp, err := http.Get(server.URL + "/v1/compare?a=a&b=b")
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || n < steps {
			b.Fatalf("%d, %d bytes, %v", resp.StatusCode, n, err)
		}
		took = append(took, time.Since(began))
	}
	b.ReportMetric(float64((ownCPU(b)-before).Microseconds())/1e3/float64(len(took)), "go-cpu-ms/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-ms")
	b.ReportMetric(float64(engine.Load())/1e3/float64(len(took)), "engine-ms/op")
}

// ownCPU returns the CPU time of this process: of the server, and of the client that reads the
// answer.
func ownCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
