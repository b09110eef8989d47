package clickhouse

import (
	"math/rand/v2"
	"syscall"
	"testing"
)

// processorTime returns the processor time of this process and of ClickHouse's statements so far, ms.
func processorTime(b *testing.B, db *database) (own, engine float64) {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	n := db.count("SELECT sum(value) FROM system.events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')")
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6, float64(n) / 1e3
}

// BenchmarkOpen measures the processor time of opening a session of some hundred frames and reading
// its first: again and again from the cache, and every time anew.
func BenchmarkOpen(b *testing.B) {
	db, nc := shared(b), announcements(b)
	db.record("default", "s", few(rand.New(rand.NewPCG(1, 2))), nil)
	changed := announcer(b, nc)
	for _, bench := range []struct {
		name  string
		store *Store
		anew  bool
	}{
		{"again", db.open(Options{Cache: cacheOn(b, nc, 0)}), false},
		{"first", db.open(Options{Cache: cacheOn(b, nc, 0)}), true},
		{"uncached", db.open(Options{}), false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			if _, err := bench.store.first(b.Context(), "s"); err != nil {
				b.Fatal(err)
			}
			own, engine := processorTime(b, db)
			for b.Loop() {
				if bench.anew {
					changed("s")
				}
				if _, err := bench.store.first(b.Context(), "s"); err != nil {
					b.Fatal(err)
				}
			}
			ownEnd, engineEnd := processorTime(b, db)
			b.ReportMetric((ownEnd-own)/float64(b.N), "own-ms/op")
			b.ReportMetric((engineEnd-engine)/float64(b.N), "engine-ms/op")
		})
	}
}
