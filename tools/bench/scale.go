package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"tapedeck/internal/local"
	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/schema/clickhouse"
	"tapedeck/tools/bench/dataset"
)

// ScaleOptions configures the measurements on a large data set.
type ScaleOptions struct {
	Program, Version string
	// Dir keeps the data set, which is filled if it is not there yet. The caller removes it.
	Dir       string
	Data      dataset.Options
	DiskLimit uint64 // bytes that the data set may take; 0 for no limit
	Requests  int    // of each measurement; 40
	Log       *slog.Logger
	Say       func(text string)
}

// scale is one run of the measurements on a large data set.
type scale struct {
	ScaleOptions
	expected *dataset.Expected
	servers  *local.Servers
	db       *database
	server   *command // serves the API
}

// Scale fills the data set, unless the directory has it, and measures what the API takes
// to answer.
func Scale(ctx context.Context, o ScaleOptions) (_ *ScaleReport, err error) {
	if o.Data, err = o.Data.WithDefaults(); err != nil {
		return nil, err
	}
	o.Requests = cmp.Or(o.Requests, 40)
	s := &scale{ScaleOptions: o}
	if s.expected, err = dataset.Open(o.Dir, o.Data); err != nil {
		return nil, err
	}
	r := &ScaleReport{
		Version: o.Version, Go: runtime.Version(), When: time.Now(), Machine: thisMachine(o.Dir), Data: o.Data, Requests: o.Requests,
	}
	if s.expected == nil {
		if err := dataset.CheckSpace(o.Dir, o.Data, o.DiskLimit); err != nil {
			return nil, err
		}
		if err := dataset.Claim(o.Dir, o.Data); err != nil {
			return nil, err
		}
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.stop(context.WithoutCancel(ctx)))
	}
	defer func() { err = errors.Join(err, s.stop(context.WithoutCancel(ctx))) }()
	if s.expected == nil {
		began := time.Now()
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
		r.Filled = time.Since(began)
	}
	r.Expected = s.expected
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.settleUsage(ctx); err != nil {
		return nil, err
	}
	r.Settled = time.Since(began)
	if r.Tables, err = s.db.tables(ctx); err != nil {
		return nil, err
	}
	if err := s.serve(ctx); err != nil {
		return nil, err
	}
	for _, m := range scaleMeasures() {
		s.Say(m.title() + " …")
		if err := m.measure(ctx, s); err != nil {
			return nil, fmt.Errorf("measure %s: %w", m.title(), err)
		}
		r.measures = append(r.measures, m)
	}
	r.Took = time.Since(r.When)
	return r, nil
}

// start starts the servers of local mode on the data set's directory.
func (s *scale) start(ctx context.Context) (err error) {
	s.servers, err = local.Start(ctx, local.Options{Dir: filepath.Join(s.Dir, "servers"), ListenNATS: "127.0.0.1:0", Logger: s.Log})
	if err != nil {
		return err
	}
	s.db = &database{dsn: s.servers.ClickHouseDSN()}
	if s.db.conn, err = clickhouse.Open(s.db.dsn); err != nil {
		return err
	}
	_, err = clickhouse.Migrate(ctx, s.db.conn)
	return err
}

// fill fills the data set, within its limit on disk.
func (s *scale) fill(ctx context.Context) (err error) {
	began := time.Now()
	var mu sync.Mutex // guards said
	var said time.Time
	f := dataset.Filler{Options: s.Data, DSN: s.db.dsn, Check: func(ctx context.Context, frames uint64) error {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(said) < 10*time.Second {
			return nil
		}
		said = time.Now()
		bytes, err := s.db.bytesOnDisk(ctx)
		if err != nil {
			return err
		}
		s.Say(fmt.Sprintf("filled %s of %s frames, %s on disk, %.0f frames/s", count(float64(frames)), count(float64(s.Data.Frames)),
			humanize.Bytes(bytes), float64(frames)/time.Since(began).Seconds()))
		if s.DiskLimit > 0 && bytes > s.DiskLimit {
			return fmt.Errorf("the data set takes %s on disk and the limit is %s: ask for fewer frames (--frames) or raise the limit (--disk-limit)",
				humanize.Bytes(bytes), humanize.Bytes(s.DiskLimit))
		}
		return nil
	}}
	s.expected, err = f.Fill(ctx, s.Dir)
	return err
}

// settleUsage settles usage as the sink's process does, unless that was done before.
func (s *scale) settleUsage(ctx context.Context) error {
	reader := query.NewReader(s.db.conn, query.WithPrices(pricetables.NewStore(s.db.conn, s.Log)))
	if err := rollup.NewSettler(reader, s.Log).Settle(ctx); err != nil {
		return fmt.Errorf("settle usage: %w", err)
	}
	return s.settle(ctx)
}

// settleLimit bounds how long merges are waited for.
const settleLimit = 10 * time.Minute

// settle waits until ClickHouse has no merge in progress for some seconds.
func (s *scale) settle(ctx context.Context) error {
	for began, idle := time.Now(), time.Now(); time.Since(idle) < 5*time.Second && time.Since(began) < settleLimit; {
		var merges uint64
		if err := s.db.conn.QueryRow(ctx, runningMerges).Scan(&merges); err != nil {
			return fmt.Errorf("count merges: %w", err)
		}
		if merges > 0 {
			idle = time.Now()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil
}

// serve starts the process that is measured: it serves the API and nothing else.
func (s *scale) serve(ctx context.Context) (err error) {
	env := []string{"TAPEDECK_NATS=" + s.servers.NATSURL(), "TAPEDECK_CLICKHOUSE=" + s.db.dsn}
	dir, err := os.MkdirTemp(s.Dir, "api-")
	if err != nil {
		return err
	}
	s.server, err = startServer(ctx, s.Program, dir, env, "serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", dir, "--pprof")
	return err
}

// stop ends what was started.
func (s *scale) stop(ctx context.Context) error {
	errs := []error{s.server.stop()}
	if s.db != nil && s.db.conn != nil {
		errs = append(errs, s.db.conn.Close())
	}
	if s.servers != nil {
		errs = append(errs, s.servers.Close(ctx))
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir, "api-*")); err == nil {
		for _, dir := range left {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return errors.Join(errs...)
}
