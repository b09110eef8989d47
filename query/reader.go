package query

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/query/pricing/prices"
	"tapedeck/schema/cluster"
	"tapedeck/schema/family"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

// Reader runs queries on ClickHouse. It is safe for use by many goroutines.
type Reader struct {
	conn       driver.Conn
	now        func() time.Time
	recorders  Recorders // may be nil
	quietAfter time.Duration
	deleter    Deleter
	prices     prices.Source
	decoders   uint32
	limits     atomic.Pointer[Limits]
	unsettled  bool
	sessions   *sessioncache.Cache // may be nil
}

// Option changes a Reader.
type Option func(*Reader)

// WithRecorders sets the source of the recorders that are alive. An open session of any other
// recorder is lost. Without this option only the time since the last frame decides.
func WithRecorders(known Recorders) Option { return func(r *Reader) { r.recorders = known } }

// WithSessionCache sets the cache of values of sessions. Without this option each request reads them.
func WithSessionCache(c *sessioncache.Cache) Option { return func(r *Reader) { r.sessions = c } }

// Sessions returns the cache of values of sessions; nil, which keeps nothing, if there is none.
func (r *Reader) Sessions() *sessioncache.Cache { return r.sessions }

// WithQuietAfter sets how long an open session may be silent before it is quiet; default
// DefaultQuietAfter.
func WithQuietAfter(d time.Duration) Option { return func(r *Reader) { r.quietAfter = d } }

// WithDecoderVersion sets the version of the decoders. Facts of an older version are outdated. The
// default 0 means that no facts are outdated.
func WithDecoderVersion(v uint32) Option { return func(r *Reader) { r.decoders = v } }

// WithClock sets the clock that measures the ages of open sessions and spans; default time.Now.
func WithClock(now func() time.Time) Option { return func(r *Reader) { r.now = now } }

// WithLimits sets the limits of a reader's statements.
func WithLimits(l Limits) Option { return func(r *Reader) { r.SetLimits(l) } }

// SetLimits changes the limits of later statements.
func (r *Reader) SetLimits(l Limits) { r.limits.Store(&l) }

// NewReader returns a reader. It does not close the connection.
func NewReader(conn driver.Conn, options ...Option) *Reader {
	r := &Reader{
		conn: conn, now: time.Now, quietAfter: DefaultQuietAfter,
		deleter: tombstone.NewDeleter(tombstone.NewStore(conn), nil, nil),
		prices:  prices.Fixed{Table: prices.Standard()},
		// Settlements that a database has of another engine family do not hold.
		unsettled: !family.OfConn(conn).Settles(),
	}
	r.SetLimits(Limits{})
	for _, o := range options {
		o(r)
	}
	return r
}

// Sharded reports whether the reader's tables are spread over the shards of a cluster.
func (r *Reader) Sharded() bool {
	_, is := r.conn.(*cluster.Conn)
	return is
}

// Now returns the time by the reader's clock, ns since 1970.
func (r *Reader) Now() int64 { return r.now().UnixNano() }

// DecoderVersion returns the version of the decoders. Facts of an older version are outdated.
func (r *Reader) DecoderVersion() uint32 { return r.decoders }

// QuietAfter returns for how long an open session may be silent before it is quiet.
func (r *Reader) QuietAfter() time.Duration { return r.quietAfter }

// Deleter returns the Deleter that deletes sessions.
func (r *Reader) Deleter() Deleter { return r.deleter }

// Deleter deletes sessions permanently. *tombstone.Deleter implements it.
type Deleter interface {
	Delete(ctx context.Context, of tombstone.Key) error
	// Resume completes a deletion that failed half way; it returns false if there is none.
	Resume(ctx context.Context, of tombstone.Key) (bool, error)
}

// WithDeleter sets the Deleter of the reader. The default one does not purge blocks from JetStream.
func WithDeleter(d Deleter) Option { return func(r *Reader) { r.deleter = d } }

// WithPrices sets the source of price tables. The default source has the table that is built into
// the program.
func WithPrices(source prices.Source) Option { return func(r *Reader) { r.prices = source } }

// WithoutSettled makes the reader read all usage from the tables to which streams are written.
func WithoutSettled() Option { return func(r *Reader) { r.unsettled = true } }

// Unsettled reports whether the reader was made with WithoutSettled, or for tables of an engine family
// whose usage is not settled.
func (r *Reader) Unsettled() bool { return r.unsettled }

// Prices returns the price table with a hash, or the current one for "".
func (r *Reader) Prices(ctx context.Context, hash string) (*prices.Effective, error) {
	return r.prices.Effective(ctx, hash)
}
