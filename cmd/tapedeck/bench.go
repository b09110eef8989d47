package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"tapedeck/deploy/bench"
	"tapedeck/deploy/local"
	"tapedeck/ingest/jetstream"
	"tapedeck/query"
	"tapedeck/schema/clickhouse"
)

// benchCommand measures this program on this machine.
type benchCommand struct {
	Frames int    `help:"How many frames to generate." default:"1000000"`
	File   string `help:"Loom NDJSON to record instead of generated frames." placeholder:"FILE" type:"existingfile"`
	Out    string `help:"Write the report to this file, too." placeholder:"FILE"`
}

// Run measures each stage alone, then the whole way through real processes.
func (c *benchCommand) Run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "tapedeck-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := c.File
	if path == "" {
		path = filepath.Join(dir, "frames.ndjson")
		if err := bench.Generate(c.Frames, path); err != nil {
			return err
		}
	}
	r := &bench.Report{Version: version, Go: runtime.Version(), When: time.Now(), File: c.File}
	if err := benchStages(ctx, r, dir, path); err != nil {
		return err
	}
	if err := benchWhole(ctx, r, dir, path); err != nil {
		return err
	}
	if err := r.Write(os.Stdout); err != nil || c.Out == "" {
		return err
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	return errors.Join(r.Write(f), f.Close())
}

// benchStages measures the tap, publishing and the sink one after another.
func benchStages(ctx context.Context, r *bench.Report, dir, path string) (err error) {
	fmt.Fprintln(os.Stderr, "measuring each stage alone …")
	st, _, err := bench.Record(ctx, "tap and dialect", path, bench.Nowhere{})
	if err != nil {
		return err
	}
	r.Add(st)
	log := (&logFlags{LogLevel: "warn"}).logger()
	servers, err := local.Start(ctx, local.Options{Dir: filepath.Join(dir, "stages"), Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
	if err := migrate(ctx, servers.ClickHouseDSN(), log); err != nil {
		return err
	}
	cfg := nodeConfig{connect: servers.ConnectNATS, dsn: servers.ClickHouseDSN(), streams: localStreams(servers), log: log}
	writer, err := startNode(ctx, cfg) // makes the streams
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.close(context.WithoutCancel(ctx))) }()
	publisher, err := jetstream.NewPublisher(writer.nc)
	if err != nil {
		return err
	}
	if st, _, err = bench.Record(ctx, "tap, dialect and JetStream", path, publisher); err != nil {
		return err
	}
	r.Add(st)
	db, err := clickhouse.Open(servers.ClickHouseDSN())
	if err != nil {
		return err
	}
	defer db.Close()
	began := time.Now()
	cfg.roles = roles{sink: true}
	storing, err := startNode(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, storing.close(context.WithoutCancel(ctx))) }()
	if err := bench.WaitFor(ctx, db, st.Frames); err != nil {
		return err
	}
	r.Add(bench.Stage{Name: "sink: JetStream to ClickHouse", Frames: st.Frames, Bytes: st.Bytes, Took: time.Since(began)})
	r.Columns, err = bench.Disk(ctx, db)
	return err
}

// benchWhole records the file through the commands that a user types.
func benchWhole(ctx context.Context, r *bench.Report, dir, path string) error {
	fmt.Fprintln(os.Stderr, "measuring the whole way …")
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := bench.StartServer(ctx, program, dir)
	if err != nil {
		return err
	}
	st, _, err := s.Record(ctx, path)
	var usage query.UsageReport
	var tools query.ToolReport
	if err == nil {
		err = errors.Join(s.Get(ctx, "/v1/usage?granularity=total", &usage), s.Get(ctx, "/v1/tools?granularity=total", &tools))
	}
	cpu, stopErr := s.Stop()
	if err = errors.Join(err, stopErr); err != nil {
		return err
	}
	st.CPU += cpu
	r.Add(st)
	r.Totals = bench.Totals{
		Calls: usage.Totals.Calls, Input: usage.Totals.Tokens.Input, Output: usage.Totals.Tokens.Output,
		Tools: tools.Totals.Calls, ToolErrors: tools.Totals.Errors,
	}
	r.Expected, err = bench.Expect(path)
	return err
}
