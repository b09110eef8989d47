package query

import (
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/tombstone"
)

// Reader answers questions. It is safe for use by many goroutines.
type Reader struct {
	conn       driver.Conn
	now        func() time.Time
	recorders  Recorders // may be nil
	quietAfter time.Duration
	deleter    Deleter
}

// Option changes a Reader.
type Option func(*Reader)

// WithRecorders sets the source of the recorders that are alive; open sessions of others
// are lost. Without it only the time since the last frame decides.
func WithRecorders(known Recorders) Option { return func(r *Reader) { r.recorders = known } }

// WithQuietAfter sets how long an open session may be silent before it is quiet;
// default QuietAfter.
func WithQuietAfter(d time.Duration) Option { return func(r *Reader) { r.quietAfter = d } }

// WithClock sets the clock by which the ages of open sessions and spans are measured;
// default time.Now.
func WithClock(now func() time.Time) Option { return func(r *Reader) { r.now = now } }

// NewReader makes a reader. It does not close the connection.
func NewReader(conn driver.Conn, options ...Option) *Reader {
	r := &Reader{
		conn: conn, now: time.Now, quietAfter: QuietAfter,
		deleter: tombstone.NewDeleter(tombstone.NewStore(conn), nil, nil),
	}
	for _, o := range options {
		o(r)
	}
	return r
}
