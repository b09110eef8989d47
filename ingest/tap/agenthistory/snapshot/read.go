package snapshot

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"
)

//go:embed sql/begin.sql
var beginSQL string

const (
	// memoryLimit bounds the memory of SQLite for a connection, bytes.
	memoryLimit = 256 << 20
	// ValueLimit bounds a value that is read, bytes.
	ValueLimit = 64 << 20
	// attempts is how often a database whose files change during the read is read, with a pause
	// before each repetition.
	attempts     = 5
	attemptPause = 20 * time.Millisecond
)

// Read calls read with a consistent state of a database. It calls read again if the files changed
// in a way that makes the result invalid. It waits for locks for at most lockedFor, and ends with
// ctx.
func Read(ctx context.Context, path string, read func(*DB) error) error {
	path, err := filepath.EvalSymlinks(path) // the log is in the folder of the link's target
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return err
	}
	for attempt := range attempts {
		if attempt > 0 {
			time.Sleep(attemptPause)
		}
		s, err := stateOf(path)
		if err != nil {
			return err
		}
		if err = s.read(ctx, path, read); s.counts(path, err) {
			return explain(err)
		}
	}
	return ErrChanging
}

// read reads a database once.
func (s *state) read(ctx context.Context, path string, read func(*DB) error) (err error) {
	options := url.Values{"mode": {"ro"}, "vfs": {readOnlyName}}
	switch s.access {
	case unlogged:
		options.Set("immutable", "1")
	case unindexed:
		index, remove, err := makeIndex()
		if err != nil {
			return fmt.Errorf("make an index of its log: %w", err)
		}
		defer remove()
		options.Set(indexName, index)
	}
	register()
	d := &DB{statements: map[string]*sqlite3.Stmt{}, rest: growth*s.size() + slack}
	name := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}
	if err := guard(func() error { return d.open(ctx, name.String()) }); err != nil {
		return cmp.Or(err, guard(d.close))
	}
	err = read(d)
	return cmp.Or(err, guard(d.close))
}

// open opens a connection and begins its transaction.
func (d *DB) open(ctx context.Context, name string) (err error) {
	d.conn, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(ctx, memoryLimit), name)
	if err != nil {
		return err
	}
	d.conn.SetInterrupt(ctx)
	d.conn.Limit(sqlite3.LIMIT_LENGTH, ValueLimit)
	d.conn.Limit(sqlite3.LIMIT_ATTACHED, 0)
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_DEFENSIVE: true, sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE: true,
		sqlite3.DBCONFIG_ENABLE_VIEW: false, sqlite3.DBCONFIG_ENABLE_TRIGGER: false,
	} {
		if _, err := d.conn.Config(option, on); err != nil {
			return err
		}
	}
	if err := d.conn.BusyTimeout(lockedFor); err != nil {
		return err
	}
	return d.conn.Exec(beginSQL)
}

// close ends the transaction and the connection.
func (d *DB) close() error {
	for _, s := range d.statements {
		_ = s.Close() // the error of its last row
	}
	return d.conn.Close()
}
