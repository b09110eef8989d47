package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// EndToEnd holds the passes of one workload: a command records it to a running `tapedeck up`.
type EndToEnd struct {
	Name     string       `json:"name,omitempty"`
	Command  string       `json:"command,omitempty"` // the command that records: record, sync, proxy, or up for what is sent to the server itself
	Sessions int          `json:"sessions,omitempty"`
	Passes   []RecordPass `json:"passes"`
	Expected *Totals      `json:"expected,omitempty"` // computed from the source; nil without node
	Got      Totals       `json:"got"`                // reported by the API
}

// RecordPass is one recording of a workload to an empty server of its own. Pass.Took is the time
// until everything is stored; Durable the time until the command has ended, when everything is
// acknowledged. Record, Server and ClickHouse are the shares of Pass.CPU: the command, the server
// with NATS and the sink, and the process of ClickHouse. Merges is ClickHouse's CPU time after the
// recording until it is idle, with the requests for the totals. All CPU times are 0 if they are
// unknown.
type RecordPass struct {
	Pass
	Durable    time.Duration `json:"durable_ns,omitempty"`
	Record     time.Duration `json:"record_cpu_ns"`
	Server     time.Duration `json:"server_cpu_ns"`
	ClickHouse time.Duration `json:"clickhouse_cpu_ns"`
	Merges     time.Duration `json:"merges_cpu_ns"`
	Plain      *Plain        `json:"plain,omitempty"` // nil if it was not measured
}

// DurablePass returns the pass until everything is acknowledged. Its CPU time is that of the
// command.
func (p RecordPass) DurablePass() Pass {
	return Pass{Frames: p.Frames, Bytes: p.Bytes, Took: p.Durable, CPU: p.Record}
}

// Factor returns ClickHouse's CPU time, including its later merges, as a multiple of its CPU time
// for the plain insert of the same bytes; 0 if one of them is unknown.
func (p RecordPass) Factor() float64 {
	if p.Plain == nil || p.Plain.CPU() <= 0 || p.ClickHouse <= 0 {
		return 0
	}
	return float64(p.ClickHouse+p.Merges) / float64(p.Plain.CPU())
}

// Runs returns the passes without the CPU times of single processes. A nil EndToEnd has none.
func (e *EndToEnd) Runs() (runs Passes) {
	if e == nil {
		return nil
	}
	for _, p := range e.Passes {
		runs = append(runs, p.Pass)
	}
	return runs
}

// Durables returns the passes until everything is acknowledged.
func (e *EndToEnd) Durables() (runs Passes) {
	for _, p := range e.Passes {
		runs = append(runs, p.DurablePass())
	}
	return runs
}

// Median returns the pass with the median rate.
func (e *EndToEnd) Median() RecordPass {
	m := e.Runs().Median()
	if e != nil {
		for _, p := range e.Passes {
			if p.Pass == m {
				return p
			}
		}
	}
	return RecordPass{}
}

func measureEndToEnd(ctx context.Context, h *harness, r *Results) (err error) {
	w, err := h.loomWorkload()
	if err == nil {
		r.EndToEnd, err = h.recordings(ctx, w, pick(h, 3, 1))
	}
	return err
}

// recordings records a workload n times, each time paired with the plain insert of the same bytes.
func (h *harness) recordings(ctx context.Context, w *workload, n int) (*EndToEnd, error) {
	e := w.results()
	for range n {
		if err := e.record(ctx, h, w); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return e, nil
}

// expect computes the totals that a recording of a file of Loom frames must have. Without node they
// are unknown.
func expect(path string) (*Totals, error) {
	expected, err := Expect(path)
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil
	}
	return &expected, err
}

// record records a workload to a new server, and adds the pass. It fails if something was not
// recorded or is not stored, if the API does not report the expected totals, or if ClickHouse does
// not become idle, within the limits.
func (e *EndToEnd) record(ctx context.Context, h *harness, w *workload) (err error) {
	dir, err := h.tempDir("whole")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	up, err := startServer(ctx, h.Program, dir, nil, "up", "--data", data, "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p, err := e.pass(ctx, h, w, up, dir)
	if err = errors.Join(err, up.stop()); err != nil {
		return err
	}
	if w.lines != nil {
		if p.Plain, err = w.plainInsert(ctx, h, data); err != nil {
			return err
		}
	}
	e.Passes = append(e.Passes, p)
	return nil
}

// pass records a workload to a running server.
func (e *EndToEnd) pass(
	ctx context.Context, h *harness, w *workload, up *command, dir string,
) (p RecordPass, err error) {
	record, err := w.prepare(ctx, h, up, dir)
	if err != nil {
		return p, err
	}
	engine := descendants(up.pid())
	if _, err := untilIdle(ctx, engine, shortPause); err != nil { // the start of ClickHouse is not measured
		return p, err
	}
	engine0, _ := cpuOf(engine...)
	server0, _ := cpuOf(up.pid()) // if it is unknown here, it is unknown below
	began := time.Now()
	got, err := record(ctx)
	if err != nil {
		return p, err
	}
	p.Durable = time.Since(began)
	if got.frames != w.frames || got.bytes != w.bytes {
		return p, fmt.Errorf("%d of %d frames, %d of %d bytes were recorded", got.frames, w.frames, got.bytes, w.bytes)
	}
	if err := up.awaitStored(ctx, storedLimit); err != nil {
		return p, err
	}
	p.Pass = Pass{Frames: w.frames, Bytes: w.bytes, Took: time.Since(began)}
	server1, ok := cpuOf(up.pid())
	engine1, ok2 := cpuOf(engine...)
	if p.Took, err = e.awaitTotals(ctx, up, began, p.Took); err != nil {
		return p, err
	}
	if ok && ok2 {
		p.Record, p.Server, p.ClickHouse = got.cpu, server1-server0, engine1-engine0
		p.CPU = p.Record + p.Server + p.ClickHouse
		idle, err := untilIdle(ctx, engine, w.pause(h))
		if err != nil {
			return p, err
		}
		p.Merges = idle - engine1
	}
	return p, nil
}

// storedLimit bounds the wait until what is durable is stored. A measurement that reaches it fails.
const storedLimit = 5 * time.Minute

// awaitStored waits until everything that the server has received so far is in ClickHouse. It fails
// after limit.
func (c *command) awaitStored(ctx context.Context, limit time.Duration) error {
	var first time.Time // when this was asked first, by the server's clock
	for end := time.Now().Add(limit); ; {
		var waiting struct {
			AskedAt    time.Time  `json:"asked_at"`
			CompleteTo *time.Time `json:"complete_to"`
			Frames     uint64     `json:"waiting_frames"`
		}
		if err := c.get(ctx, "/v1/waiting", &waiting); err != nil {
			return err
		}
		if first.IsZero() {
			first = waiting.AskedAt
		}
		switch {
		case waiting.CompleteTo != nil && !waiting.CompleteTo.Before(first):
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d frames or more are not stored after %v", waiting.Frames, limit)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// Bounds of the wait for background work. ClickHouse looks for parts to merge at intervals of some
// seconds, so that it may merge again after a short pause.
const (
	idleLimit  = 2 * time.Minute
	shortPause = 1500 * time.Millisecond
	longPause  = 6 * time.Second
)

// untilIdle waits until processes have been idle for a while, and returns the CPU time that they
// had taken before. It fails if they are not idle within idleLimit.
func untilIdle(ctx context.Context, pids []int, while time.Duration) (time.Duration, error) {
	const step = 500 * time.Millisecond
	busy, ok := cpuOf(pids...)
	before := busy
	for end, idle := time.Now().Add(idleLimit), time.Duration(0); ok && idle < while; {
		if time.Now().After(end) {
			return 0, fmt.Errorf("ClickHouse is not idle after %v", idleLimit)
		}
		if err := pause(ctx, step); err != nil {
			return 0, err
		}
		var now time.Duration
		now, ok = cpuOf(pids...)
		if idle += step; now-before > step/20 {
			idle, busy = 0, now
		}
		before = now
	}
	return busy, nil
}
