package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"tapedeck/ingest"
)

// whole measures `tapedeck record FILE` against a running `tapedeck up`.
type whole struct {
	path     string
	env      []string // of the command that records
	frames   uint64
	passes   []pass
	expected *Totals // as the file has them; nil without node
	got      Totals  // as the API reports them
}

// pass is one recording of the file, with its own empty server.
type pass struct {
	run Lap
	// The share of each process in run.CPU, and the CPU time of ClickHouse afterwards.
	record, server, clickhouse, merges time.Duration
	split                              bool // these are known
}

func (s *whole) measure(ctx context.Context, w *workshop) error {
	if err := s.take(w.path, w.frames); err != nil {
		return err
	}
	for range full(w, 3, 1) {
		if err := s.once(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// take takes a file to record.
func (s *whole) take(path string, frames uint64) error {
	s.path, s.frames = path, frames
	expected, err := Expect(path)
	switch {
	case err == nil:
		s.expected = &expected
	case !errors.Is(err, exec.ErrNotFound):
		return err
	}
	return nil
}

// once records the file to a new server.
func (s *whole) once(ctx context.Context, w *workshop) (err error) {
	dir, err := w.room("whole")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	up, err := startServer(ctx, w.Program, dir, nil, "up", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, up.stop()) }()
	engine := descendants(up.pid())
	server0, _ := cpuOf(up.pid()) // if it is unknown here, it is unknown below
	engine0, _ := cpuOf(engine...)

	var printed bytes.Buffer
	began := time.Now()
	record, err := start(w.Program, dir, s.env, nil, &printed, "record", "--json", "--server", up.url, s.path)
	if err != nil {
		return err
	}
	if err := record.wait(ctx); err != nil {
		return err
	}
	var sum ingest.Summary
	if err := json.Unmarshal(printed.Bytes(), &sum); err != nil {
		return fmt.Errorf("read what record printed: %w", err)
	}
	if sum.Frames != s.frames {
		return fmt.Errorf("%d of the file's %d frames were recorded", sum.Frames, s.frames)
	}
	took := time.Since(began)
	server1, ok := cpuOf(up.pid())
	engine1, ok2 := cpuOf(engine...)
	if s.got, took, err = s.totals(ctx, up, began, took); err != nil {
		return err
	}
	p := pass{
		run:    Lap{Frames: sum.Frames, Bytes: sum.Bytes, Took: took},
		record: record.cpu(), server: server1 - server0, clickhouse: engine1 - engine0, split: ok && ok2,
	}
	if p.split {
		p.run.CPU = p.record + p.server + p.clickhouse
		p.merges = untilCalm(ctx, engine) - engine1
	}
	s.passes = append(s.passes, p)
	return nil
}

// untilCalm waits until processes are idle, and returns the CPU time that they took so
// far, including background work.
func untilCalm(ctx context.Context, pids []int) time.Duration {
	const step, calm, limit = 500 * time.Millisecond, 3, 30 * time.Second
	before, _ := cpuOf(pids...)
	quiet := 0
	for end := time.Now().Add(limit); quiet < calm && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(step)
		now, _ := cpuOf(pids...)
		if now-before > step/10 {
			quiet = 0
		} else {
			quiet++
		}
		before = now
	}
	return before
}

func (s *whole) runs() (runs Laps) {
	for _, p := range s.passes {
		runs = append(runs, p.run)
	}
	return runs
}

// median returns the pass with the median rate.
func (s *whole) median() pass {
	m := s.runs().Median()
	for _, p := range s.passes {
		if p.run == m {
			return p
		}
	}
	return pass{}
}

func (s *whole) write(p *page) {
	m := s.median()
	p.text("`tapedeck record FILE` against an empty, running `tapedeck up`, each in a process of its own: from the start of the command until\n" +
		"it has ended and all that the file comes to is in the answers of the API. The server runs NATS, the sink and the API; ClickHouse is its child.")
	p.table("| | frames/s | seconds | CPU-seconds per million frames |", "|---|---:|---:|---:|")
	p.row("**end to end**", "**"+s.runs().median()+"**", fmt.Sprintf("%.2f", m.run.Took.Seconds()), cpuSeconds(m.run.CPU, m.run.Frames))
	for _, part := range []struct {
		name string
		cpu  time.Duration
	}{
		{"of which `record`", m.record}, {"of which the server", m.server}, {"of which ClickHouse", m.clickhouse},
		{"ClickHouse afterwards, until it rests (merges)", m.merges},
	} {
		if !m.split {
			part.cpu = 0
		}
		p.row(part.name, "", "", cpuSeconds(part.cpu, m.run.Frames))
	}
	if s.expected == nil {
		p.text("What the file comes to was not computed: node is not installed.")
		return
	}
	p.text("What the file comes to, by a script that shares nothing with tapedeck (`tools/bench/totals.mjs`), and what the API says:")
	p.table("| | from the file | from the API |", "|---|---:|---:|")
	for _, row := range []struct {
		name      string
		want, got int64
	}{
		{"LLM calls", int64(s.expected.Calls), int64(s.got.Calls)},
		{"input tokens", s.expected.Input, s.got.Input}, {"output tokens", s.expected.Output, s.got.Output},
		{"tool calls", int64(s.expected.Tools), int64(s.got.Tools)},
		{"failed tool calls", int64(s.expected.ToolErrors), int64(s.got.ToolErrors)},
	} {
		p.row(row.name, count(float64(row.want)), count(float64(row.got)))
	}
}

func (s *whole) bars() []bar {
	const want, aim = 200_000, 350_000
	rate, measured := 0.0, len(s.passes) > 0
	if measured {
		rate = s.runs().Median().Rate()
	}
	return []bar{
		atLeast("end to end, frames/s", measured, rate, want, count),
		atLeast("end to end, frames/s: the aim", measured, rate, aim, count),
	}
}
