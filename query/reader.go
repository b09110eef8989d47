package query

import (
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Reader answers questions. It is safe for use by many goroutines.
type Reader struct {
	conn driver.Conn
	now  func() time.Time
}

// Option changes a Reader.
type Option func(*Reader)

// WithClock has the reader take the present from the given clock.
func WithClock(now func() time.Time) Option { return func(r *Reader) { r.now = now } }

// NewReader makes a reader. It does not close the connection.
func NewReader(conn driver.Conn, options ...Option) *Reader {
	r := &Reader{conn: conn, now: time.Now}
	for _, o := range options {
		o(r)
	}
	return r
}
