package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// processorTime returns the processor time of this process and of its child processes, of which
// ClickHouse is the only one that works, so far, ms. It is what the system counts: the events of
// ClickHouse leave out parts of a statement.
func processorTime(b *testing.B) (own, engine float64) {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		b.Skip("the processor time of other processes is read from /proc")
	}
	const parent, user, system, tick = 1, 11, 12, 10 // fields of /proc/PID/stat after the name; ms
	for _, p := range processes {
		text, err := os.ReadFile("/proc/" + p.Name() + "/stat")
		if err != nil {
			continue // no process, or it has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(after); len(f) > system && f[parent] == strconv.Itoa(os.Getpid()) {
			for _, i := range []int{user, system} {
				n, err := strconv.ParseFloat(f[i], 64)
				if err != nil {
					b.Fatal(err)
				}
				engine += n * tick
			}
		}
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6, engine
}

// recordMany stores n sessions like those of few in one insert.
func (d *database) recordMany(n int) {
	d.t.Helper()
	client, err := schemaclickhouse.Dial(d.t.Context(), d.dsn)
	if err != nil {
		d.t.Fatal(err)
	}
	defer client.Close()
	tape, batch := few(rand.New(rand.NewPCG(1, 2))), schemaclickhouse.NewBatch()
	for i := range n {
		for _, s := range tape.Streams() {
			blk := &block.Block{Tenant: "default", Session: fmt.Sprint("s", i), State: s}
			for _, f := range tape.Frames() {
				if f.Stream.StreamID == s.StreamID {
					blk.Frames = append(blk.Frames, f.Frame)
				}
			}
			if err := batch.Add("default", blk); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	if err := batch.Insert(d.t.Context(), client); err != nil {
		d.t.Fatal(err)
	}
}

// BenchmarkOpen measures the processor time of opening sessions of some hundred frames and reading
// their first: one again and again from the cache, each for the first time, and without a cache.
func BenchmarkOpen(b *testing.B) {
	const sessions = 256
	db, nc := shared(b), announcements(b)
	db.recordMany(sessions)
	for _, bench := range []struct {
		name   string
		cached bool
		of     int // sessions that are opened in turns
	}{{"again", true, 1}, {"first", true, sessions}, {"uncached", false, sessions}} {
		b.Run(bench.name, func(b *testing.B) {
			open := func() *Store {
				if !bench.cached {
					return db.open(Options{})
				}
				return db.open(Options{Cache: cacheOn(b, nc, 0)})
			}
			store := open()
			if _, err := store.first(b.Context(), "s0"); err != nil { // connects
				b.Fatal(err)
			}
			had := store.statements()
			own, engine := processorTime(b)
			n := 0
			for b.Loop() {
				if n++; n%bench.of == 0 && bench.of > 1 && bench.cached {
					b.Fatal("every session was opened: run it with -benchtime 200x")
				}
				if _, err := store.first(b.Context(), fmt.Sprint("s", n%bench.of)); err != nil {
					b.Fatal(err)
				}
			}
			ownEnd, engineEnd := processorTime(b)
			b.ReportMetric((ownEnd-own)/float64(b.N), "own-ms/op")
			b.ReportMetric((engineEnd-engine)/float64(b.N), "engine-ms/op")
			b.ReportMetric(float64(store.statements()-had)/float64(b.N), "statements/op")
		})
	}
}
