package charges_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/memorytest"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
)

// resident returns the memory of the process that is in RAM, bytes.
func resident(t testing.TB) (bytes int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("the memory of the process is not known: ", err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// grown runs a function and returns by how much the process grew meanwhile, at most.
func grown(t testing.TB, run func()) int64 {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	before := resident(t)
	most, stop, done := before, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, resident(t))
			}
		}
	}()
	run()
	close(stop)
	<-done
	return most - before
}

// counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// An export of Parquet takes no more memory for more calls, neither from the tables nor from settled
// rows.
func TestMemory(t *testing.T) {
	fulltest.Long(t)
	db := querytest.Month(t, 30_000)
	r := querytest.Reader(db, 1e8)
	for _, from := range []string{"the tables", "settled rows"} {
		if from == "settled rows" {
			if err := rollup.NewSettler(r, slog.New(slog.DiscardHandler)).Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := charges.Write(t.Context(), r, charges.Query{Tenant: querytest.Tenant, To: querytest.Start.AddDate(0, 0, -1)}, charges.Parquet, &out); err != nil {
			t.Fatal(err)
		}
		var size counter
		most := grown(t, func() {
			if err := charges.Write(t.Context(), r, charges.Query{Tenant: querytest.Tenant}, charges.Parquet, &size); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%d bytes written from %s, the process grew by %.1f MiB", size, from, float64(most)/(1<<20))
		memorytest.AtMost(t, "the process", most, 64<<20)
	}
}
