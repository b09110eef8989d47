package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
)

// sinkStage measures the sink, and ClickHouse by itself.
type sinkStage struct {
	ours, alone Laps
	columns     []column // size of the frames table on disk
	tables      []column // size of all tables
}

func (s *sinkStage) measure(ctx context.Context, w *workshop) (err error) {
	blocks, err := w.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	lines, err := readLines(w.path)
	if err != nil {
		return err
	}
	dir, err := w.room("sink")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	servers, err := local.Start(ctx, local.Options{Dir: dir, Logger: w.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
	nc, err := servers.ConnectNATS()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := njs.New(nc)
	if err != nil {
		return err
	}
	publisher, err := jetstream.NewPublisher(nc)
	if err != nil {
		return err
	}
	rounds := 0
	for i := range full(w, 3, 1) {
		if err := fresh(ctx, js, jetstream.Written); err != nil {
			return err
		}
		if _, err := publishBlocks(ctx, publisher, blocks, &rounds, 0); err != nil {
			return err
		}
		db, err := openDatabase(ctx, servers.ClickHouseDSN(), fmt.Sprintf("bench_%d", i))
		if err != nil {
			return err
		}
		run, err := db.store(ctx, nc, w)
		if err == nil {
			s.ours = append(s.ours, run)
			run, err = db.storeAlone(ctx, lines)
			s.alone = append(s.alone, run)
		}
		if err == nil && len(s.columns) == 0 {
			s.columns, s.tables, err = db.sizes(ctx)
		}
		if err = errors.Join(err, db.drop(ctx)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sinkStage) write(p *page) {
	ours, alone := s.ours.Median(), s.alone.Median()
	p.text("All blocks of the file lie in JetStream; the clock runs from the start of a sink until the table `frames` counts every frame,\n" +
		"with everything that the sink writes (frames, spans, messages, usage, streams). The ceiling is ClickHouse with the same lines and\n" +
		"nothing else: it is sent raw lines over the native protocol in batches of as many rows, reads the four envelope fields off them by\n" +
		"itself (`JSONExtract`), and stores both, the line under ZSTD; no facts.")
	p.table("| | rows/s | CPU-seconds per million frames |", "|---|---:|---:|")
	p.row("sink: JetStream to ClickHouse", s.ours.median(), cpuSeconds(ours.CPU, ours.Frames))
	p.row("ClickHouse alone", s.alone.median(), cpuSeconds(alone.CPU, alone.Frames))
	p.row("ratio", ratio(ours.Rate()/alone.Rate()), "")
}

func (s *sinkStage) bars() []bar {
	if len(s.ours) == 0 {
		return []bar{atLeast("sink, of ClickHouse alone", false, 0, 0.25, ratio)}
	}
	return []bar{atLeast("sink, of ClickHouse alone", true, s.ours.Median().Rate()/s.alone.Median().Rate(), 0.25, ratio)}
}

// database is one in a running ClickHouse, with tapedeck's tables.
type database struct {
	dsn  string
	name string
	conn driver.Conn
}

func openDatabase(ctx context.Context, server, name string) (*database, error) {
	address, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("ClickHouse address: %w", err)
	}
	admin, err := clickhouse.Open(server)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	if err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, fmt.Errorf("create database %s: %w", name, err)
	}
	address.Path = "/" + name
	d := &database{dsn: address.String(), name: name}
	if d.conn, err = clickhouse.Open(d.dsn); err != nil {
		return nil, err
	}
	if _, err = clickhouse.Migrate(ctx, d.conn); err != nil {
		return nil, errors.Join(err, d.conn.Close())
	}
	return d, nil
}

func (d *database) drop(ctx context.Context) error {
	return errors.Join(d.conn.Exec(ctx, "DROP DATABASE "+d.name+" SYNC"), d.conn.Close())
}

// store runs a sink until it has stored all frames.
func (d *database) store(ctx context.Context, nc *nats.Conn, w *workshop) (Lap, error) {
	s, err := sink.New(sink.Options{NATS: nc, DSN: d.dsn, Log: w.Log})
	if err != nil {
		return Lap{}, err
	}
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began, cpu := time.Now(), treeCPU()
	go func() { ended <- s.Run(life) }()
	err = waitFor(ctx, d.conn, countFrames, w.frames)
	run := Lap{Frames: w.frames, Bytes: w.bytes, Took: time.Since(began), CPU: treeCPU() - cpu}
	stop()
	return run, errors.Join(err, <-ended)
}

// waitFor waits until a count has reached n.
func waitFor(ctx context.Context, db driver.Conn, query string, n uint64, args ...any) error {
	for {
		var got uint64
		if err := db.QueryRow(ctx, query, args...).Scan(&got); err != nil {
			return fmt.Errorf("count rows: %w", err)
		}
		if got >= n {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d rows are there: %w", got, n, context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
