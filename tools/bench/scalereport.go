package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"

	"tapedeck/tools/bench/dataset"
)

// ScaleReport is the outcome of a run of Scale.
type ScaleReport struct {
	Version, Go string
	When        time.Time
	Took        time.Duration
	Filled      time.Duration // how long that took; 0 if the data set was there
	Settled     time.Duration // how long it took to settle usage, or to find that it is settled
	Machine     Machine
	Data        dataset.Options
	Requests    int
	Expected    *dataset.Expected
	Tables      []tableSize
	measures    []scaleMeasure
}

// tableSize is what a table takes on disk.
type tableSize struct {
	name        string
	rows, bytes uint64
	parts       uint64
}

// tables returns the sizes of the tables, the largest first.
func (d *database) tables(ctx context.Context) (list []tableSize, err error) {
	rows, err := d.conn.Query(ctx, allTableSizes)
	if err != nil {
		return nil, fmt.Errorf("sizes of tables: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var t tableSize
		if err := rows.Scan(&t.name, &t.rows, &t.bytes, &t.parts); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// bytesOnDisk returns what all tables take on disk.
func (d *database) bytesOnDisk(ctx context.Context) (total uint64, err error) {
	list, err := d.tables(ctx)
	for _, t := range list {
		total += t.bytes
	}
	return total, err
}

// Write writes the report as Markdown.
func (r *ScaleReport) Write(w io.Writer) error {
	p := &page{}
	p.text("# Benchmarks at scale")
	p.text("Written by `make bench-scale` on %s: tapedeck %s, %s, %s/%s.", r.When.UTC().Format("2006-01-02"), r.Version, r.Go, runtime.GOOS, runtime.GOARCH)
	if full, err := (dataset.Options{}).WithDefaults(); err != nil || r.Data.Frames < full.Frames {
		p.text("**A smaller data set than the bars are for.**")
	}
	r.Machine.write(p)
	r.writeData(p)
	p.text("## Bars")
	p.table("| what | bar | here | |", "|---|---:|---:|---|")
	for _, m := range r.measures {
		for _, b := range m.bars() {
			if !b.measured {
				b.got = unknown
			}
			p.row(b.name, b.want, b.got, b.verdict())
		}
	}
	p.text("## Answers of the API")
	p.text("`tapedeck serve --role api` and ClickHouse are processes of their own on this machine; one client sends one request after\n" +
		"another and reads all of each answer. Each request was sent once before; where the data set knows the answer, that answer\n" +
		"was compared with it: rows, calls, tokens and costs. CPU time is that of one request on average, merges included.")
	p.table("| | requests | p50 | p95 | most | CPU, API | CPU, ClickHouse | largest answer |", "|---|---:|---:|---:|---:|---:|---:|---:|")
	for _, m := range r.measures {
		m.write(p)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (r *ScaleReport) writeData(p *page) {
	e := r.Expected
	p.text("## Data")
	p.text("%s frames (%s), %s sessions in %s streams, %s calls of %d models, %s to %s, with the tags customer (%d values), team (%d)\n"+
		"and environment (%d); seed %d. The same options make the same data. One session in 500 is recorded by two taps, one in 100 is\n"+
		"resumed hours later, one in 5,000 has 10,000 frames, one in 25,000 has 2,000 steps. The frames pass through the dialect and the\n"+
		"sink's batches, without JetStream.",
		count(float64(e.Frames)), humanize.Bytes(e.Bytes), count(float64(e.Sessions)), count(float64(e.Streams)), count(float64(e.Total.Calls)),
		len(dataset.Models), dataset.Begin.Format(time.DateOnly), dataset.End.Format(time.DateOnly),
		dataset.Customers, len(dataset.Teams), len(dataset.Environments), r.Data.Seed)
	if r.Filled > 0 {
		p.text("Filled in %s: %s frames/s.", r.Filled.Round(time.Second), count(float64(e.Frames)/r.Filled.Seconds()))
	}
	p.table("| table | rows | on disk | parts |", "|---|---:|---:|---:|")
	for _, t := range r.Tables {
		p.row(t.name, count(float64(t.rows)), humanize.Bytes(t.bytes), count(float64(t.parts)))
	}
	p.text("<!-- not run: fills a large data set -->\n```sh\n" +
		"make bench-scale                                  # fills a temporary directory, measures, removes it\n" +
		"make bench-scale SCALE_DIR=/srv/scale             # keeps the data set there, or takes it from there\n" +
		"make bench-scale FRAMES=2000000 SESSIONS=10000    # a smaller one\n" +
		"bin/tapedeck-bench scale --help\n" +
		"```")
}
