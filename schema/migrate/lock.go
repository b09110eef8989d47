package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// lock is the right to migrate a database. Its generation is the number in the name of the only
// column of schema_lock: ClickHouse renames the column for one process only.
type lock struct {
	conn       driver.Conn
	database   string
	program    string
	holder     string
	generation uint64
	end        context.CancelFunc
	beats      sync.WaitGroup
}

// errLost is the error if another process has taken the lock.
var errLost = errors.New("another process has taken the lock of migrations, " +
	"since this one recorded nothing for longer than the lease")

// lockState is the recorded state of the lock and its holder.
type lockState struct {
	generation uint64
	events     uint64
	at         string // of the latest event, by ClickHouse's clock
	event      string
	holder     string
	version    uint32
	step       uint32
	text       string
}

// readState returns the recorded state of the current holder.
func readState(ctx context.Context, conn driver.Conn) (s lockState, err error) {
	if s.generation, err = readGeneration(ctx, conn); err != nil {
		return s, err
	}
	err = conn.QueryRow(ctx, readHolder, s.generation).Scan(&s.events, &s.at, &s.event, &s.holder, &s.version, &s.step,
		&s.text)
	if err != nil {
		return s, fmt.Errorf("read the holder of the lock of migrations: %w", err)
	}
	return s, nil
}

// readGeneration returns the generation of the lock.
func readGeneration(ctx context.Context, conn driver.Conn) (generation uint64, err error) {
	var name string
	if err := conn.QueryRow(ctx, readLock).Scan(&name); err != nil {
		return 0, fmt.Errorf("read the lock of migrations: %w", err)
	}
	generation, err = strconv.ParseUint(strings.TrimPrefix(name, "generation_"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the table schema_lock has the column %s, which tapedeck does not make: "+
			"drop the table while nothing migrates", name)
	}
	return generation, nil
}

// free reports whether no process holds the lock.
func (s *lockState) free() bool { return s.generation == 0 || s.event == "released" }

// take makes the caller the holder of the next generation after the given one. It returns nil if
// another process was faster.
func take(ctx context.Context, conn driver.Conn, o Options, seen uint64) (*lock, error) {
	rename := fmt.Sprintf("ALTER TABLE schema_lock RENAME COLUMN generation_%d TO generation_%d", seen, seen+1)
	if err := conn.Exec(ctx, rename); err != nil {
		if hasCode(err, codeNoColumn, codeColumnMissing, codeColumnExists, codeUnknownIdent) {
			return nil, nil
		}
		return nil, fmt.Errorf("take the lock of migrations: %w", err)
	}
	host, _ := os.Hostname() // only for messages
	l := &lock{conn: conn, program: o.Program, holder: fmt.Sprintf("%s, process %d", host, os.Getpid()),
		generation: seen + 1}
	if err := conn.QueryRow(ctx, "SELECT currentDatabase()").Scan(&l.database); err != nil {
		return nil, fmt.Errorf("take the lock of migrations: %w", err)
	}
	if err := l.record(ctx, event{name: "taken"}); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(ctx)
	l.end = end
	l.beats.Go(func() { l.beat(life, o.Lease/4) })
	return l, nil
}

// beat records that the holder is alive, at an interval until ctx ends.
func (l *lock) beat(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.record(ctx, event{name: "alive"}) // on an error another process takes the lock, and check reports it
		}
	}
}

// event is a row of schema_steps.
type event struct {
	version, step uint32
	name          string
	checksum      string
	oldest        uint32
	text          string
}

func (l *lock) record(ctx context.Context, e event) error {
	err := l.conn.Exec(ctx, insertStep, e.version, e.step, e.name, l.generation, e.checksum, e.oldest, e.text,
		l.program, l.holder)
	if err != nil {
		return fmt.Errorf("record the progress of migrations: %w", err)
	}
	return nil
}

// check returns errLost if another process has taken the lock.
func (l *lock) check(ctx context.Context) error {
	generation, err := readGeneration(ctx, l.conn)
	if err == nil && generation != l.generation {
		err = errLost
	}
	return err
}

// releaseTimeout bounds the release of the lock at the end of a process.
const releaseTimeout = 3 * time.Second

// release lets other processes take the lock at once.
func (l *lock) release(ctx context.Context) {
	l.end()
	l.beats.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_ = l.record(ctx, event{name: "released"}) // on an error the lease expires
}

// Running returns the progress of the process that is migrating the database, nil if there is none.
func Running(ctx context.Context, conn driver.Conn, o Options) (*Progress, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if conn, err = localOf(ctx, conn, o); err != nil {
		return nil, err
	}
	s, err := readState(ctx, conn)
	if errors.Is(err, sql.ErrNoRows) || missing(err) || err == nil && s.free() {
		return nil, nil // no run has created the tables yet, or no run is in progress
	}
	if err != nil {
		return nil, err
	}
	p := o.progress(s)
	return &p, nil
}
