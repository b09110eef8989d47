package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// ScaleOptions configures the measurements on a large data set. Setup.Dir holds the data set, which
// is filled if the directory is empty.
type ScaleOptions struct {
	Setup
	Data      dataset.Options
	DiskLimit uint64 // limit of the data set's size, bytes; 0 for none
	Requests  int    // of each measurement
}

// scale is one run of the measurements on a large data set.
type scale struct {
	ScaleOptions
	expected *dataset.Expected
	servers  *local.Servers
	db       *database
	server   *command // serves the API
}

// Scale fills the data set, unless the directory contains it, and measures how long the API takes
// to answer.
func Scale(ctx context.Context, o ScaleOptions) (_ *ScaleReport, err error) {
	if o.Data, err = o.Data.WithDefaults(); err != nil {
		return nil, err
	}
	barsFor, err := (dataset.Options{}).WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &scale{ScaleOptions: o}
	if s.expected, err = dataset.Open(o.Dir, o.Data); err != nil {
		return nil, err
	}
	r := &ScaleReport{Environment: o.environment("scale"), Data: o.Data, Smaller: o.Data.Frames < barsFor.Frames}
	if s.expected == nil {
		if err := dataset.CheckSpace(o.Dir, o.Data, o.DiskLimit); err != nil {
			return nil, err
		}
		if err := dataset.Claim(o.Dir, o.Data); err != nil {
			return nil, err
		}
	}
	defer func() { err = errors.Join(err, s.stop(context.WithoutCancel(ctx))) }()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if s.expected == nil {
		began := time.Now()
		if err := s.fill(ctx); err != nil {
			return nil, err
		}
		r.Filled = time.Since(began)
	}
	r.Expected = s.expected
	if err := s.awaitMerges(ctx); err != nil {
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
	var l bars
	for _, m := range scaleMeasures {
		o.Say(m.name + " …")
		answers, err := m.measure(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", m.name, err)
		}
		r.Answers = append(r.Answers, answers)
		m.bars(&l, answers)
	}
	answers, err := s.burst(ctx, &l)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", burstName, err)
	}
	r.Answers, r.Bars, r.Took = append(r.Answers, answers), l, time.Since(r.When)
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

// fill fills the data set within its limit on disk.
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
		s.Say(fmt.Sprintf("filled %s of %s frames, %s on disk, %.0f frames/s", humanize.Comma(int64(frames)),
			humanize.Comma(int64(s.Data.Frames)),
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

// settleUsage settles usage as the sink does, unless it was done before.
func (s *scale) settleUsage(ctx context.Context) error {
	reader := query.NewReader(s.db.conn, query.WithPrices(pricetables.NewStore(s.db.conn, s.Log)))
	if err := rollup.NewSettler(reader, s.Log).Settle(ctx); err != nil {
		return fmt.Errorf("settle usage: %w", err)
	}
	return s.awaitMerges(ctx)
}

// mergeLimit bounds the wait for merges.
const mergeLimit = 10 * time.Minute

// awaitMerges waits until ClickHouse has had no merge in progress for some seconds, and fails after
// mergeLimit.
func (s *scale) awaitMerges(ctx context.Context) error {
	for began, idle := time.Now(), time.Now(); time.Since(idle) < 5*time.Second; {
		var merges uint64
		if err := s.db.conn.QueryRow(ctx, statement("running_merges")).Scan(&merges); err != nil {
			return fmt.Errorf("count merges: %w", err)
		}
		if merges > 0 {
			idle = time.Now()
		}
		if time.Since(began) > mergeLimit {
			return fmt.Errorf("ClickHouse still merges after %v", mergeLimit)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// serve starts the measured process, which only serves the API.
func (s *scale) serve(ctx context.Context) (err error) {
	env := []string{"TAPEDECK_NATS=" + s.servers.NATSURL(), "TAPEDECK_CLICKHOUSE=" + s.db.dsn}
	dir, err := os.MkdirTemp(s.Dir, "api-")
	if err != nil {
		return err
	}
	s.server, err = serveRole(ctx, s.Program, dir, env, "api", "--pprof")
	return err
}

// stop ends the servers.
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

// TableSize is the size of a table on disk.
type TableSize struct {
	Name  string `json:"name"`
	Rows  uint64 `json:"rows"`
	Bytes uint64 `json:"bytes"`
	Parts uint64 `json:"parts"`
}

// tables returns the sizes of the tables, the largest first.
func (d *database) tables(ctx context.Context) (list []TableSize, err error) {
	rows, err := d.conn.Query(ctx, statement("all_table_sizes"))
	if err != nil {
		return nil, fmt.Errorf("sizes of tables: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var t TableSize
		if err := rows.Scan(&t.Name, &t.Rows, &t.Bytes, &t.Parts); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// bytesOnDisk returns the size of all tables.
func (d *database) bytesOnDisk(ctx context.Context) (total uint64, err error) {
	list, err := d.tables(ctx)
	for _, t := range list {
		total += t.Bytes
	}
	return total, err
}
