package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// disk compares the size of the tables with that of a slow, strong compressor.
type disk struct {
	sink   *sinkStage // has stored the file
	frames uint64     // that zstd was given
	zstd   uint64     // their bytes under zstd -19; 0 without
	notice string     // why not
}

// column is the size of a column or a table on disk, bytes per frame.
type column struct {
	name string
	size float64
}

// sizes merges the tables and returns the sizes of the columns of frames, and those of
// the tables with indexes and marks, largest first.
func (d *database) sizes(ctx context.Context) (columns, tables []column, err error) {
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		if err := d.conn.Exec(ctx, "OPTIMIZE TABLE "+table+" FINAL"); err != nil {
			return nil, nil, fmt.Errorf("merge table %s: %w", table, err)
		}
	}
	if columns, err = d.list(ctx, columnSizes); err != nil {
		return nil, nil, err
	}
	tables, err = d.list(ctx, tableSizes)
	return columns, tables, err
}

func (d *database) list(ctx context.Context, query string) ([]column, error) {
	rows, err := d.conn.Query(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("sizes on disk: %w", err)
	}
	defer rows.Close()
	var list []column
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.size); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

func (s *disk) measure(ctx context.Context, w *workshop) error {
	program, err := exec.LookPath("zstd")
	if err != nil {
		s.notice = "the command zstd is not installed"
		return nil
	}
	path := w.path
	if s.frames = w.frames; w.Quick { // it takes its time
		path = filepath.Join(w.Dir, "zstd.ndjson")
		if s.frames, err = copyLines(path, w.path, 1000); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, program, "-19", "-T0", "-q", "-c", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	n, err := io.Copy(io.Discard, out)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("%s -19: %w", program, err)
	}
	s.zstd = uint64(n)
	return nil
}

// ours returns the bytes per frame of the columns of the table frames.
func (s *disk) ours() (total float64) {
	for _, c := range s.sink.columns {
		total += c.size
	}
	return total
}

func (s *disk) write(p *page) {
	if len(s.sink.columns) > 0 {
		p.text("After a merge, as the stage \"sink\" left it.")
		p.table("| column of `frames` | bytes per frame |", "|---|---:|")
		for _, c := range s.sink.columns {
			if c.size >= 0.005 {
				p.row(c.name, fmt.Sprintf("%.2f", c.size))
			}
		}
		p.row("**all columns**", fmt.Sprintf("**%.2f**", s.ours()))
		p.table("| table, with indexes and marks | bytes per frame |", "|---|---:|")
		for _, t := range s.sink.tables {
			p.row(t.name, fmt.Sprintf("%.2f", t.size))
		}
	} else {
		p.text("The stage \"sink\" was not measured, so there are no tables to look at.")
	}
	if s.zstd == 0 {
		p.text("`zstd -19` of the file: not measured, %s.", s.notice)
		return
	}
	bytes := float64(s.zstd) / float64(s.frames)
	p.text("`zstd -19 -T0` of the whole file: %.2f bytes per frame. The table takes %s of that: it is read by session, and each frame has its\n"+
		"time, its place and its envelope in it.", bytes, times(s.ours()/bytes))
}

func (s *disk) bars() []bar {
	return []bar{atMost("bytes per frame on disk", len(s.sink.columns) > 0, s.ours(), 15, func(x float64) string { return fmt.Sprintf("%.1f B", x) })}
}
