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

// EndToEnd holds the passes of `tapedeck record FILE` against a running `tapedeck up`.
type EndToEnd struct {
	Passes   []RecordPass `json:"passes"`
	Expected *Totals      `json:"expected,omitempty"` // computed from the file; nil without node
	Got      Totals       `json:"got"`                // reported by the API
}

// RecordPass is one recording of the file to an empty server of its own. Record, Server and
// ClickHouse are the shares of Pass.CPU. Merges is ClickHouse's CPU time after the recording until
// it is idle. All are 0 if they are unknown.
type RecordPass struct {
	Pass
	Record     time.Duration `json:"record_cpu_ns"`
	Server     time.Duration `json:"server_cpu_ns"`
	ClickHouse time.Duration `json:"clickhouse_cpu_ns"`
	Merges     time.Duration `json:"merges_cpu_ns"`
}

// Runs returns the passes without the CPU times of single processes. A nil EndToEnd has none.
func (e *EndToEnd) Runs() (runs Passes) {
	for _, p := range e.Passes {
		runs = append(runs, p.Pass)
	}
	return runs
}

// Median returns the pass with the median rate.
func (e *EndToEnd) Median() RecordPass {
	m := e.Runs().Median()
	for _, p := range e.Passes {
		if p.Pass == m {
			return p
		}
	}
	return RecordPass{}
}

// recording is the input of one pass.
type recording struct {
	path   string
	frames uint64
	env    []string // of the command that records
}

func measureEndToEnd(ctx context.Context, h *harness, r *Results) (err error) {
	r.EndToEnd, err = h.recordings(ctx, recording{path: h.path, frames: h.frames}, pick(h, 3, 1))
	return err
}

// recordings records a file n times.
func (h *harness) recordings(ctx context.Context, of recording, n int) (*EndToEnd, error) {
	e := &EndToEnd{}
	if err := e.expect(of.path); err != nil {
		return nil, err
	}
	for range n {
		if err := e.record(ctx, h, of); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// expect computes the totals that a recording of the file must have. Without node they are unknown.
func (e *EndToEnd) expect(path string) error {
	expected, err := Expect(path)
	if errors.Is(err, exec.ErrNotFound) {
		return nil
	}
	e.Expected = &expected
	return err
}

// record records the file to a new server, and adds the pass. It fails if the API does not report
// the expected totals, or ClickHouse does not become idle, within the limits.
func (e *EndToEnd) record(ctx context.Context, h *harness, of recording) (err error) {
	dir, err := h.tempDir("whole")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	up, err := startServer(ctx, h.Program, dir, nil, "up", "--data", filepath.Join(dir, "data"), "--listen",
		"127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, up.stop()) }()
	engine := descendants(up.pid())
	server0, _ := cpuOf(up.pid()) // if it is unknown here, it is unknown below
	engine0, _ := cpuOf(engine...)
	var printed bytes.Buffer
	began := time.Now()
	record, err := start(h.Program, dir, of.env, nil, &printed, "record", "--json", "--server", up.url, of.path)
	if err != nil {
		return err
	}
	sum, err := record.summary(ctx, &printed, of.frames)
	if err != nil {
		return err
	}
	took := time.Since(began)
	server1, ok := cpuOf(up.pid())
	engine1, ok2 := cpuOf(engine...)
	if took, err = e.awaitTotals(ctx, up, began, took); err != nil {
		return err
	}
	p := RecordPass{Pass: Pass{Frames: sum.Frames, Bytes: sum.Bytes, Took: took}}
	if ok && ok2 {
		p.Record, p.Server, p.ClickHouse = record.cpu(), server1-server0, engine1-engine0
		p.CPU = p.Record + p.Server + p.ClickHouse
		idle, err := untilIdle(ctx, engine)
		if err != nil {
			return err
		}
		p.Merges = idle - engine1
	}
	e.Passes = append(e.Passes, p)
	return nil
}

// summary waits for the end of `tapedeck record --json`, and reads the summary that it printed. It
// fails unless this number of frames was recorded. It also fails if the frames could not be read,
// since record then exits with code 1, after its timeout.
func (c *command) summary(ctx context.Context, printed *bytes.Buffer, frames uint64) (sum ingest.Summary, err error) {
	if err := c.wait(ctx); err != nil {
		return sum, err
	}
	if err := json.Unmarshal(printed.Bytes(), &sum); err != nil {
		return sum, fmt.Errorf("read the summary that record printed: %w", err)
	}
	if sum.Frames != frames {
		return sum, fmt.Errorf("%d of %d frames were recorded", sum.Frames, frames)
	}
	return sum, nil
}

// idleLimit bounds the wait for background work.
const idleLimit = 2 * time.Minute

// untilIdle waits until processes are idle, and returns the CPU time that they have taken so far,
// including background work. It fails if they are not idle within idleLimit.
func untilIdle(ctx context.Context, pids []int) (time.Duration, error) {
	const step, idleSteps = 500 * time.Millisecond, 3
	before, _ := cpuOf(pids...)
	idle := 0
	for end := time.Now().Add(idleLimit); idle < idleSteps; {
		if time.Now().After(end) {
			return 0, fmt.Errorf("ClickHouse is not idle after %v", idleLimit)
		}
		if err := pause(ctx, step); err != nil {
			return 0, err
		}
		now, _ := cpuOf(pids...)
		if idle++; now-before > step/10 {
			idle = 0
		}
		before = now
	}
	return before, nil
}
