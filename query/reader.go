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

// WithRecorders has sessions be lost whose recorders do not live. Without it only
// the time since the last frame says so.
func WithRecorders(known Recorders) Option { return func(r *Reader) { r.recorders = known } }

// WithQuietAfter sets how long an open session may be silent before it is quiet;
// default QuietAfter.
func WithQuietAfter(d time.Duration) Option { return func(r *Reader) { r.quietAfter = d } }

// WithClock has the reader take the present from the given clock; default is
// time.Now. Whatever runs is as old as this clock says.
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
