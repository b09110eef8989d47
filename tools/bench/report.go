package bench

import (
	"io"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"
)

// Report is the outcome of one run.
type Report struct {
	Version, Go string
	When        time.Time
	Took        time.Duration
	Quick       bool
	Given       bool // the frames come from a file and were not generated
	Frames      uint64
	Bytes       uint64
	Machine     Machine
	parts       []*named
}

// Write writes the report as Markdown.
func (r *Report) Write(w io.Writer) error {
	p := &page{}
	p.text("# Benchmarks")
	p.text("Written by `make bench` on %s: tapedeck %s, %s, %s/%s. It took %s.", r.When.UTC().Format("2006-01-02"),
		r.Version, r.Go, runtime.GOOS, runtime.GOARCH, r.Took.Round(time.Second))
	if r.Quick {
		p.text("**A quick run: it shows that the measuring works. Its figures mean nothing.**")
	}
	p.text("All figures are of this one run, and everything ran on this one machine: recorder, servers, and what measures them.\n" +
		"Machines differ and are noisy: compare figures of one run only, and rather ratios than figures. Ranges in parentheses\n" +
		"are those of several passes, the figure before them is the median.")
	r.Machine.write(p)
	r.writeData(p)
	writeBars(p, r.parts)
	for _, n := range r.parts {
		p.text("## %s", n.title)
		if !n.done {
			p.text("Not measured in this run.")
			continue
		}
		n.part.write(p)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (r *Report) writeData(p *page) {
	p.text("## Data and commands")
	origin := "made by `tapedeck-bench` itself (the same for the same number)"
	if r.Given {
		origin = "of a file that was given (`make bench` makes it with `gen.py`, the same for the same number)"
	}
	p.text("%s Loom frames, %s, %.0f bytes each on average, %s: sessions of two to six rounds of message chunks,\n"+
		"a token usage, a tool call and the tool's run.", count(float64(r.Frames)), humanize.Bytes(r.Bytes), float64(r.Bytes)/float64(r.Frames), origin)
	p.text("<!-- not run: measures for minutes -->\n```sh\n" +
		"make bench                # all of this page but the peer\n" +
		"make bench BENCH_PEER=1   # with the peer, which is built first\n" +
		"bin/tapedeck-bench --only sink,disk\n" +
		"bin/tapedeck-bench --only drift --drift 10m       # the bar is for ten minutes; otherwise one is watched\n" +
		"bin/tapedeck-bench --only openings --stored 10000000\n" +
		"bin/tapedeck-bench --quick\n" +
		"```")
}
