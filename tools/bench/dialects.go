package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// DialectRate is a result of a dialect's own benchmarks, as `go test` has printed it. Their frames
// are test fixtures, which this program does not have.
type DialectRate struct {
	Dialect   string  `json:"dialect"`
	Benchmark string  `json:"benchmark"`
	Rate      float64 `json:"frames_per_second"`
	Bytes     float64 `json:"bytes_per_frame,omitempty"` // on average; 0 if unknown
}

func measureDialects(_ context.Context, h *harness, r *Results) error {
	if h.Dialects == "" {
		return nil
	}
	f, err := os.Open(h.Dialects)
	if err != nil {
		return err
	}
	defer f.Close()
	r.Dialects, err = readRates(f)
	return err
}

// readRates parses the output of `go test -bench`.
func readRates(r io.Reader) (rates []DialectRate, err error) {
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
		rate := DialectRate{Dialect: dialect, Benchmark: name}
		var throughput float64
		for i := 2; i+1 < len(f); i += 2 {
			n, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return nil, fmt.Errorf("figure of benchmark %s of %s: %w", name, dialect, err)
			}
			switch f[i+1] {
			case "frames/s":
				rate.Rate = n
			case "MB/s":
				throughput = n
			}
		}
		if rate.Rate == 0 {
			continue
		}
		if throughput > 0 {
			rate.Bytes = math.Round(throughput * 1e6 / rate.Rate)
		}
		rates = append(rates, rate)
	}
	return rates, in.Err()
}
