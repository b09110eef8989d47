package clickhouse

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// benchFrames returns how many frames the benchmarks' session has; the environment
// variable TAPEDECK_BENCH_FRAMES changes it.
func benchFrames(b *testing.B) int {
	n := 10_000_000
	if v := os.Getenv("TAPEDECK_BENCH_FRAMES"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			b.Fatal(err)
		}
	}
	return n
}

const (
	benchStream = "0196b3a0-0000-7000-8000-000000000001"
	benchStart  = 1746748800000000000 // ns
)

// fill inserts a session of n frames of about 140 bytes, 20 ms apart.
func fill(db *database, n int) {
	db.exec("SYSTEM START MERGES frames")
	db.exec(`INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, flags,
  type, source_session, run_id, node_id, agent, event_id, cuts, raw)
SELECT 'default', 'big', ?, number, toDateTime(1746748800, 'UTC'),
  fromUnixTimestamp64Nano(toInt64(1746748800000000000 + number * 20000000 + rand() % 19000000), 'UTC'), 'receive', 'ndjson', 0,
  ['text_delta', 'text_delta', 'text_delta', 'reasoning_delta', 'node_start'][number % 5 + 1], 'big',
  concat('run-', toString(intDiv(number, 1000))), concat('node-', toString(intDiv(number, 100))), 'planner', toString(number + 1), '',
  concat('{"type":"text_delta","event_id":', toString(number + 1), ',"run_id":"run-', toString(intDiv(number, 1000)),
    '","node_id":"node-', toString(intDiv(number, 100)), '","delta":"', hex(cityHash64(number)), ' some words"}\n')
FROM numbers(?) SETTINGS max_insert_threads = 1`, benchStream, n)
	db.exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
SELECT tenant, session_id, stream_id, min(seq), any(stream_started), 2 * (max(seq) + 1) + 1, 'ndjson', 'loom', min(captured_at), max(captured_at),
  count(), sum(length(raw)), max(captured_at) FROM frames GROUP BY tenant, session_id, stream_id`)
}

// BenchmarkTape measures opening a session and giving its first frames, from
// random places, and reading it from end to end.
func BenchmarkTape(b *testing.B) {
	db, n := shared(b), benchFrames(b)
	fill(db, n)
	store := db.open(Options{})
	ctx := b.Context()
	open := func(b *testing.B, from func() replay.Place) {
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			tape, err := store.Tape(ctx, "default", "big")
			if err != nil {
				b.Fatal(err)
			}
			r, err := tape.Read(ctx, replay.Query{From: from()})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := r.Next(ctx); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
			r.Close()
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2])/1e6, "p50-ms")
		b.ReportMetric(float64(times[len(times)*99/100])/1e6, "p99-ms")
	}
	anywhere := func() int64 { return benchStart + int64(rand.IntN(n))*20e6 }
	b.Run("open", func(b *testing.B) { open(b, func() replay.Place { return replay.Place{} }) })
	b.Run("resume", func(b *testing.B) {
		open(b, func() replay.Place {
			seq := rand.Uint64N(uint64(n) - 1)
			at := benchStart + int64(seq)*20e6
			return replay.Place{Position: schema.Position{At: at, StreamID: benchStream, Seq: seq}, After: true}
		})
	})
	b.Run("seek", func(b *testing.B) {
		open(b, func() replay.Place { return replay.Place{Position: schema.Position{At: anywhere()}} })
	})
	for name, q := range map[string]replay.Query{"read": {}, "read-bare": {Bare: true}} {
		b.Run(name, func(b *testing.B) {
			frames := 0
			for b.Loop() {
				tape, err := store.Tape(ctx, "default", "big")
				if err != nil {
					b.Fatal(err)
				}
				r, err := tape.Read(ctx, q)
				if err != nil {
					b.Fatal(err)
				}
				for got := 0; ; {
					batch, err := r.Next(ctx)
					if errors.Is(err, io.EOF) {
						if got != n {
							b.Fatalf("%d frames, want %d", got, n)
						}
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					got += len(batch)
					frames += len(batch)
				}
				r.Close()
			}
			b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// BenchmarkManyStreams measures a session such as a proxy records: a thousand
// streams of a hundred frames, one after another.
func BenchmarkManyStreams(b *testing.B) {
	db := shared(b)
	tape := &replaytest.Tape{Batch: 1000}
	for i := range 1000 {
		s := tape.Stream(schema.SSE, "openai-chat")
		for j := range 100 {
			s.Add(time.Duration(i*100+j)*time.Millisecond, `data: {"delta":"some text that is not long"}`+"\n\n",
				func(f *schema.Frame) { f.Type = "chunk" })
		}
	}
	db.record("default", "s", tape, nil)
	store := db.open(Options{})
	middle := replay.Place{Position: schema.Position{At: replaytest.Start + 50e9}}
	for _, tc := range []struct {
		name  string
		query replay.Query
		all   bool
	}{
		{"open", replay.Query{}, false},
		{"seek", replay.Query{From: middle}, false},
		{"find", replay.Query{Filter: replay.Filter{Types: []string{"chunk"}}, Few: true}, false},
		{"find-nothing", replay.Query{Filter: replay.Filter{Types: []string{"none"}}, Few: true}, true},
		{"read", replay.Query{}, true},
	} {
		b.Run(tc.name, func(b *testing.B) {
			for b.Loop() {
				t, err := store.Tape(b.Context(), "default", "s")
				if err != nil {
					b.Fatal(err)
				}
				r, err := t.Read(b.Context(), tc.query)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					if _, err = r.Next(b.Context()); !tc.all {
						break
					}
				}
				if err != nil && !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				r.Close()
			}
			b.ReportMetric(float64(b.Elapsed())/1e6/float64(b.N), "ms/op")
		})
	}
}
