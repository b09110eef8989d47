package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const printed = `goos: linux
goarch: amd64
pkg: tapedeck/ingest/dialect/loom
cpu: some processor
BenchmarkLines-2       	  524518	      2117 ns/op	  64.72 MB/s	         0.07 facts/frame	    472366 frames/s	     120 B/op	       1 allocs/op
BenchmarkParse         	  524518	      2117 ns/op
PASS
ok  	tapedeck/ingest/dialect/loom	3.1s
?   	tapedeck/ingest/dialect/dialects	[no test files]
pkg: tapedeck/ingest/dialect/openai
BenchmarkChat-2        	 1000000	      1000 ns/op	   1000000 frames/s
PASS
`

func TestReadRates(t *testing.T) {
	got, err := readRates(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	want := []DialectRate{
		{Dialect: "loom", Benchmark: "Lines", Rate: 472366, Bytes: 137},
		{Dialect: "openai", Benchmark: "Chat", Rate: 1000000},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := readRates(strings.NewReader("BenchmarkChat-2 1000 many ns/op\n")); err == nil {
		t.Error("a figure that is no number is taken")
	}
}

func FuzzReadRates(f *testing.F) {
	f.Add(printed)
	f.Add("pkg: \nBenchmark 1 1 frames/s 0 MB/s\nBenchmarkX-2 1 NaN frames/s -1 MB/s")
	f.Fuzz(func(t *testing.T, text string) {
		rates, err := readRates(strings.NewReader(text))
		for _, r := range rates {
			if err == nil && r.Rate == 0 {
				t.Errorf("a rate of nothing: %+v", r)
			}
		}
	})
}
