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

// Sink compares the sink with ClickHouse alone, and holds sizes on disk, bytes per frame, the
// largest first.
type Sink struct {
	Passes  Passes       `json:"passes"`
	Alone   Passes       `json:"clickhouse_alone"`
	Columns []SizeOnDisk `json:"columns"` // of the table frames
	Tables  []SizeOnDisk `json:"tables"`  // with indexes and marks
}

// SizeOnDisk is the size of a column or a table, bytes per frame.
type SizeOnDisk struct {
	Name string  `json:"name"`
	Size float64 `json:"bytes_per_frame"`
}

// Ratio returns the sink's rate as a share of the rate of ClickHouse alone.
func (s *Sink) Ratio() float64 { return s.Passes.Median().Rate() / s.Alone.Median().Rate() }

// FrameBytes returns the size of all columns of the table frames, bytes per frame.
func (s *Sink) FrameBytes() (total float64) {
	for _, c := range s.Columns {
		total += c.Size
	}
	return total
}

func measureSink(ctx context.Context, h *harness, r *Results) (err error) {
	blocks, err := h.encodedBlocks(ctx)
	if err != nil {
		return err
	}
	lines, err := readLines(h.path)
	if err != nil {
		return err
	}
	dir, err := h.tempDir("sink")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	servers, err := local.Start(ctx, local.Options{Dir: dir, Logger: h.Log})
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
	r.Sink = &Sink{}
	rounds := 0
	for i := range pick(h, 3, 1) {
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
		err = alternate(1,
			turn{&r.Sink.Passes, func() (Pass, error) { return db.store(ctx, nc, h) }},
			turn{&r.Sink.Alone, func() (Pass, error) { return db.storeAlone(ctx, lines) }})
		if err == nil && len(r.Sink.Columns) == 0 {
			r.Sink.Columns, r.Sink.Tables, err = db.sizes(ctx)
		}
		if err = errors.Join(err, db.drop(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// database is a database in a running ClickHouse, with tapedeck's tables.
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
func (d *database) store(ctx context.Context, nc *nats.Conn, h *harness) (Pass, error) {
	ctx, cancel := context.WithTimeout(ctx, storedLimit)
	defer cancel()
	s, err := sink.New(sink.Options{NATS: nc, DSN: d.dsn, Log: h.Log})
	if err != nil {
		return Pass{}, err
	}
	life, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	began, cpu := time.Now(), treeCPU()
	go func() { ended <- s.Run(life) }()
	err = waitFor(ctx, d.conn, statement("count_frames"), h.frames)
	pass := Pass{Frames: h.frames, Bytes: h.bytes, Took: time.Since(began), CPU: treeCPU() - cpu}
	stop()
	return pass, errors.Join(err, <-ended)
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
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d rows are stored: %w", got, n, err)
		}
	}
}

// sizes merges the tables and returns the sizes of the columns of frames and of the tables.
func (d *database) sizes(ctx context.Context) (columns, tables []SizeOnDisk, err error) {
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		if err := d.conn.Exec(ctx, "OPTIMIZE TABLE "+table+" FINAL"); err != nil {
			return nil, nil, fmt.Errorf("merge table %s: %w", table, err)
		}
	}
	for name, list := range map[string]*[]SizeOnDisk{"column_sizes": &columns, "table_sizes": &tables} {
		rows, err := d.conn.Query(ctx, statement(name))
		if err != nil {
			return nil, nil, fmt.Errorf("sizes on disk: %w", err)
		}
		for rows.Next() {
			var c SizeOnDisk
			if err := rows.Scan(&c.Name, &c.Size); err != nil {
				return nil, nil, errors.Join(err, rows.Close())
			}
			*list = append(*list, c)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, nil, err
		}
	}
	return columns, tables, nil
}
