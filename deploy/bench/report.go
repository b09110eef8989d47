package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/dustin/go-humanize"
)

// Report is the outcome of one run of the benchmark.
type Report struct {
	Version, Go string
	When        time.Time
	File        string // "" for generated frames
	Stages      []Stage
	Columns     []Column
	Totals      Totals // as the API reports them
	Expected    Totals // as the file has them
}

// Totals are what a file of frames comes to.
type Totals struct {
	Calls      uint64
	Input      int64
	Output     int64
	Tools      uint64
	ToolErrors uint64
}

// Column is what a column of the frames table takes on disk.
type Column struct {
	Name          string
	BytesPerFrame float64
}

// Add adds a stage.
func (r *Report) Add(s Stage) { r.Stages = append(r.Stages, s) }

// WaitFor waits until the frames table holds n frames.
func WaitFor(ctx context.Context, db driver.Conn, n uint64) error {
	for {
		var got uint64
		if err := db.QueryRow(ctx, "SELECT count() FROM frames").Scan(&got); err != nil {
			return fmt.Errorf("count frames: %w", err)
		}
		if got >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

const columnSizes = `
SELECT column, sum(column_data_compressed_bytes) / (SELECT count() FROM frames) AS size
FROM system.parts_columns
WHERE database = currentDatabase() AND table = 'frames' AND active
GROUP BY column ORDER BY size DESC`

// Disk merges the frames table and gives the size of its columns, largest first.
func Disk(ctx context.Context, db driver.Conn) ([]Column, error) {
	if err := db.Exec(ctx, "OPTIMIZE TABLE frames FINAL"); err != nil {
		return nil, fmt.Errorf("merge the frames table: %w", err)
	}
	rows, err := db.Query(ctx, columnSizes)
	if err != nil {
		return nil, fmt.Errorf("sizes of columns: %w", err)
	}
	defer rows.Close()
	var columns []Column
	for rows.Next() {
		var c Column
		if err := rows.Scan(&c.Name, &c.BytesPerFrame); err != nil {
			return nil, err
		}
		columns = append(columns, c)
	}
	return columns, rows.Err()
}

// Write writes the report as Markdown.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks\n\nWritten by `make bench` on %s: tapedeck %s, %s, %s/%s, %d CPUs, everything on one machine.\n",
		r.When.UTC().Format("2006-01-02"), r.Version, r.Go, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	b.WriteString("Machines differ and are noisy: compare figures of one run only.\n\n")
	frames, bytes := r.Stages[0].Frames, r.Stages[0].Bytes
	fmt.Fprintf(&b, "Data: %s Loom frames, %s, %.0f bytes each on average.\n\n## Speed\n\n", humanize.Comma(int64(frames)),
		humanize.Bytes(bytes), float64(bytes)/float64(frames))
	b.WriteString("| stage | frames/s | seconds | CPU-seconds per million frames |\n|---|---:|---:|---:|\n")
	for _, s := range r.Stages {
		cpu := "–"
		if s.CPU > 0 {
			cpu = fmt.Sprintf("%.1f", s.CPU.Seconds()/float64(s.Frames)*1e6)
		}
		fmt.Fprintf(&b, "| %s | %s | %.2f | %s |\n", s.Name, humanize.Comma(int64(s.Rate())), s.Took.Seconds(), cpu)
	}
	b.WriteString("\nEnd to end is `tapedeck record FILE` against a running `tapedeck up`, from the start of the command until the\n" +
		"last frame can be queried; its CPU time is that of all processes.\n\n## On disk\n\n| column of `frames` | bytes per frame |\n|---|---:|\n")
	total := 0.0
	for _, c := range r.Columns {
		total += c.BytesPerFrame
		if c.BytesPerFrame >= 0.005 {
			fmt.Fprintf(&b, "| %s | %.2f |\n", c.Name, c.BytesPerFrame)
		}
	}
	fmt.Fprintf(&b, "| **all** | **%.2f** |\n\n## Exact\n\n| | from the file | from the API |\n|---|---:|---:|\n", total)
	for _, row := range []struct {
		name      string
		want, got int64
	}{
		{"LLM calls", int64(r.Expected.Calls), int64(r.Totals.Calls)},
		{"input tokens", r.Expected.Input, r.Totals.Input}, {"output tokens", r.Expected.Output, r.Totals.Output},
		{"tool calls", int64(r.Expected.Tools), int64(r.Totals.Tools)},
		{"failed tool calls", int64(r.Expected.ToolErrors), int64(r.Totals.ToolErrors)},
	} {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", row.name, humanize.Comma(row.want), humanize.Comma(row.got))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if r.Expected != r.Totals {
		return fmt.Errorf("the API's totals %+v are not those of the file, %+v", r.Totals, r.Expected)
	}
	return nil
}
