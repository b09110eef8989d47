package focus_test

import (
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"tapedeck/query"
	"tapedeck/query/billing/bills"
	"tapedeck/query/billing/focus"
	"tapedeck/query/querytest"
)

// nowhere drops files. It keeps how much memory was in use while they were written.
type nowhere struct{ most uint64 }

func (n *nowhere) Create(string) (io.WriteCloser, error) { return n, nil }
func (n *nowhere) Close() error                          { return nil }
func (n *nowhere) Write(p []byte) (int, error) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	n.most = max(n.most, m.HeapAlloc)
	return len(p), nil
}

// BenchmarkExport exports a bill of 100,000 rows and reports the memory that it adds.
func BenchmarkExport(b *testing.B) {
	f := newFixture(b, "tenant", "2026-10", "Europe/London", "EUR", 2)
	f.usage(rand.New(rand.NewPCG(3, 4)), 100_000)
	f.total()
	db := querytest.New(b)
	store(b, db, f)
	f.rows = nil
	r := query.NewReader(db.Conn)
	source := &focus.Source{Bills: []*bills.Bill{f.Bill}}
	run := func(to focus.Output) {
		if err := focus.Export(b.Context(), r, source, focus.Options{Tenant: querytest.Tenant}, to); err != nil {
			b.Fatal(err)
		}
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	to := &nowhere{}
	run(to)
	for b.Loop() {
		run(discard{})
	}
	b.ReportMetric(float64(int64(to.most)-int64(before.HeapAlloc))/1e6, "MB")
}

type discard struct{}

func (discard) Create(string) (io.WriteCloser, error) { return discard{}, nil }
func (discard) Close() error                          { return nil }
func (discard) Write(p []byte) (int, error)           { return len(p), nil }
