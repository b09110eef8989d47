package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
)

// dialectRates are the figures of the dialects' own benchmarks, which `go test`
// printed: their frames are test fixtures, which this program does not have.
type dialectRates struct{ rates []dialectRate }

type dialectRate struct {
	dialect, benchmark string
	frames             float64 // per second
	bytes              string  // of a frame, on average; "" if unknown
}

func (s *dialectRates) measure(_ context.Context, w *workshop) error {
	if w.Dialects == "" {
		return nil
	}
	f, err := os.Open(w.Dialects)
	if err != nil {
		return err
	}
	defer f.Close()
	s.rates, err = readRates(f)
	return err
}

// readRates reads what `go test -bench` prints.
func readRates(r io.Reader) (rates []dialectRate, err error) {
	dialect := ""
	in := bufio.NewScanner(r)
	for in.Scan() {
		if pkg, ok := strings.CutPrefix(in.Text(), "pkg: "); ok {
			dialect = path.Base(pkg)
			continue
		}
		// BenchmarkName-2   123   456 ns/op   78.9 MB/s   1000 frames/s …
		f := strings.Fields(in.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(f[0], "Benchmark"), "-")
		rate := dialectRate{dialect: dialect, benchmark: name}
		var throughput float64
		for i := 2; i+1 < len(f); i += 2 {
			n, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return nil, fmt.Errorf("figure of benchmark %s of %s: %w", name, dialect, err)
			}
			switch f[i+1] {
			case "frames/s":
				rate.frames = n
			case "MB/s":
				throughput = n
			}
		}
		if rate.frames == 0 {
			continue
		}
		if throughput > 0 {
			rate.bytes = fmt.Sprintf("%.0f", throughput*1e6/rate.frames)
		}
		rates = append(rates, rate)
	}
	return rates, in.Err()
}

func (s *dialectRates) write(p *page) {
	if len(s.rates) == 0 {
		p.text("Not measured in this run: `make bench` runs the benchmarks and hands their output to `tapedeck-bench --dialects FILE`.")
		return
	}
	p.text("`go test -run xxx -bench . -benchtime 1s ./ingest/dialect/...`: one goroutine turns ready frames into envelopes and facts, taking off the\n" +
		"transport's framing and parsing included; no file, no blocks. Frames of the dialects differ much in size and in what they say.")
	p.table("| dialect | benchmark | frames/s | bytes per frame |", "|---|---|---:|---:|")
	for _, r := range s.rates {
		p.row(r.dialect, r.benchmark, count(r.frames), r.bytes)
	}
}

func (s *dialectRates) bars() []bar { return nil }
