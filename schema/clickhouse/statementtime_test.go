package clickhouse

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/local/localtest"
)

// TestStatementTime executes a statement without a deadline and one with a deadline in each kind of
// pool, and looks by when each must be answered.
func TestStatementTime(t *testing.T) {
	t.Parallel()
	dsn := localtest.ClickHouse(t)
	const spare = time.Hour
	for _, tc := range []struct {
		name     string
		use      Use
		dsn      string
		from, to time.Duration
	}{
		{"requests", Requests, dsn, requestTime, requestTime},
		{"work", Work, dsn, 24 * time.Hour, 30 * 24 * time.Hour},
		{"commands", Commands, dsn, 24 * time.Hour, 30 * 24 * time.Hour},
		{"a bound of the DSN", Work, dsn + "?read_timeout=2h", 2 * time.Hour, 2 * time.Hour},
	} {
		opts, err := optionsFor(tc.use, tc.dsn)
		if err != nil {
			t.Fatal(err)
		}
		var seen deadlines
		opts.DialContext = func(ctx context.Context, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			return &timedConn{conn, &seen}, err
		}
		db, err := driver.Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Exec(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
		if left := time.Until(seen.take()); left < tc.from-spare/60 || left > tc.to {
			t.Errorf("%s: a statement may take %v, want %v to %v", tc.name, left, tc.from, tc.to)
		}
		ctx, cancel := context.WithTimeout(t.Context(), spare)
		defer cancel()
		if err := db.Exec(ctx, "SELECT 1"); err != nil {
			t.Fatal(err)
		}
		if left := time.Until(seen.take()); left < spare-spare/60 || left > spare {
			t.Errorf("%s: a statement with a deadline in %v may take %v", tc.name, spare, left)
		}
	}
}

// deadlines holds the deadline of reads that was set last.
type deadlines struct {
	mu   sync.Mutex // guards last
	last time.Time
}

func (d *deadlines) set(at time.Time) {
	if at.IsZero() {
		return // the statement has ended
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = at
}

func (d *deadlines) take() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// timedConn is a connection whose deadlines are recorded.
type timedConn struct {
	net.Conn
	seen *deadlines
}

func (c *timedConn) SetReadDeadline(at time.Time) error {
	c.seen.set(at)
	return c.Conn.SetReadDeadline(at)
}

func (c *timedConn) SetDeadline(at time.Time) error {
	c.seen.set(at)
	return c.Conn.SetDeadline(at)
}
