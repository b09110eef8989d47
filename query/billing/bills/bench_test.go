package bills

import (
	"log/slog"
	"syscall"
	"testing"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
)

// BenchmarkBill computes a bill of 100,000 charges, from settled rows and from the tables that the
// sink writes. It reports the processor time of ClickHouse and of the process for each charge, µs.
func BenchmarkBill(b *testing.B) {
	const calls = 100_000
	db := querytest.Month(b, calls)
	if err := rollup.NewSettler(querytest.Reader(db, 1e8), slog.New(slog.DiscardHandler)).Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, of := range []struct {
		name   string
		reader *query.Reader
	}{{"settled", querytest.Reader(db, 1e8)}, {"tables", querytest.Reader(db, 1e8, query.WithoutSettled())}} {
		b.Run(of.name, func(b *testing.B) {
			store := NewStore(of.reader, db.Conn, nil, nil)
			compute := func() {
				c, err := store.prepare(b.Context(), querytest.Tenant, TenantID, "2026-03")
				if err == nil {
					err = c.run(b.Context())
				}
				if err != nil || c.bill.Charges != calls {
					b.Fatal(c.bill, err)
				}
			}
			compute() // opens connections and reads the price table
			engine, process := times(b, db)
			for b.Loop() {
				compute()
			}
			engineAfter, processAfter := times(b, db)
			n := float64(b.N) * calls
			b.ReportMetric(float64(engineAfter-engine)/n, "engine-µs/charge")
			b.ReportMetric(float64(processAfter-process)/n, "process-µs/charge")
		})
	}
}

// times returns the processor time of ClickHouse and of the process, µs.
func times(b *testing.B, db *querytest.DB) (engine uint64, process int64) {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	const sum = "SELECT sum(value) FROM system.events WHERE event IN ('UserTimeMicroseconds', 'SystemTimeMicroseconds')"
	if err := db.Conn.QueryRow(b.Context(), sum).Scan(&engine); err != nil {
		b.Fatal(err)
	}
	return engine, (u.Utime.Sec+u.Stime.Sec)*1e6 + u.Utime.Usec + u.Stime.Usec
}
