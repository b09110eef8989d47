package charges_test

import (
	"io"
	"log/slog"
	"syscall"
	"testing"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
)

// BenchmarkExport writes a month of 100,000 calls, from settled rows and from the tables. It reports
// the processor time of ClickHouse and of the process for each charge, µs, and how many charges
// are written for each second of both. The first run of each opens connections and reads the price
// table.
func BenchmarkExport(b *testing.B) {
	const calls = 100_000
	db := querytest.Month(b, calls)
	engine, _ := times(b, db)
	if err := rollup.NewSettler(querytest.Reader(db, 1e8), slog.New(slog.DiscardHandler)).Settle(b.Context()); err != nil {
		b.Fatal(err)
	}
	settled, _ := times(b, db)
	b.Logf("settling takes ClickHouse %d ms", (settled-engine)/1000)
	for _, of := range []struct {
		name   string
		reader *query.Reader
	}{{"settled", querytest.Reader(db, 1e8)}, {"tables", querytest.Reader(db, 1e8, query.WithoutSettled())}} {
		for _, f := range charges.Formats[1:] {
			b.Run(of.name+"/"+string(f), func(b *testing.B) {
				q := charges.Query{Tenant: querytest.Tenant, To: querytest.Start.AddDate(0, 0, -40)}
				if err := charges.Write(b.Context(), of.reader, q, f, io.Discard); err != nil {
					b.Fatal(err)
				}
				var size counter
				engine, process := times(b, db)
				for b.Loop() {
					size = 0
					if err := charges.Write(b.Context(), of.reader, charges.Query{Tenant: querytest.Tenant}, f, &size); err != nil {
						b.Fatal(err)
					}
				}
				n := float64(b.N) * calls
				engineAfter, processAfter := times(b, db)
				engine, process = engineAfter-engine, processAfter-process
				b.ReportMetric(float64(engine)/n, "engine-µs/charge")
				b.ReportMetric(float64(process)/n, "process-µs/charge")
				b.ReportMetric(n*1e6/(float64(engine)+float64(process)), "charges/cpu-s")
				b.ReportMetric(float64(size)/(1<<20), "MiB-written")
			})
		}
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
