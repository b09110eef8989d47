package query

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/query/pricing/prices"
	"tapedeck/schema/lifecycle/tombstone"
)

// Reader answers questions. It is safe for use by many goroutines.
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
	repeated   int
}

// Option changes a Reader.
type Option func(*Reader)

// WithRecorders sets the source of the recorders that are alive; open sessions of others
// are lost. Without it only the time since the last frame decides.
func WithRecorders(known Recorders) Option { return func(r *Reader) { r.recorders = known } }

// WithQuietAfter sets how long an open session may be silent before it is quiet;
// default DefaultQuietAfter.
func WithQuietAfter(d time.Duration) Option { return func(r *Reader) { r.quietAfter = d } }

// WithDecoderVersion sets the version of the decoders, below which a session's facts are
// outdated; default 0, for which none are.
func WithDecoderVersion(v uint32) Option { return func(r *Reader) { r.decoders = v } }

// WithClock sets the clock by which the ages of open sessions and spans are measured;
// default time.Now.
func WithClock(now func() time.Time) Option { return func(r *Reader) { r.now = now } }

// WithLimits bounds the statements of a reader.
func WithLimits(l Limits) Option { return func(r *Reader) { r.SetLimits(l) } }

// SetLimits changes the bounds; statements that run keep theirs.
func (r *Reader) SetLimits(l Limits) { r.limits.Store(&l) }

// NewReader makes a reader. It does not close the connection.
func NewReader(conn driver.Conn, options ...Option) *Reader {
	r := &Reader{
		conn: conn, now: time.Now, quietAfter: DefaultQuietAfter,
		deleter: tombstone.NewDeleter(tombstone.NewStore(conn), nil, nil),
		prices:  prices.Fixed{Table: prices.Standard()}, repeated: 100_000,
	}
	r.SetLimits(Limits{})
	for _, o := range options {
		o(r)
	}
	return r
}

// Now returns the time by the reader's clock, ns since 1970.
func (r *Reader) Now() int64 { return r.now().UnixNano() }

// DecoderVersion returns the version below which facts are outdated.
func (r *Reader) DecoderVersion() uint32 { return r.decoders }

// QuietAfter returns for how long an open session may be silent before it is quiet.
func (r *Reader) QuietAfter() time.Duration { return r.quietAfter }

// Deleter returns what deletes sessions.
func (r *Reader) Deleter() Deleter { return r.deleter }

// Deleter deletes sessions permanently: *tombstone.Deleter.
type Deleter interface {
	Delete(ctx context.Context, of tombstone.Key) error
	// Resume completes a deletion that failed half way; false if there is none.
	Resume(ctx context.Context, of tombstone.Key) (bool, error)
}

// WithDeleter sets the Deleter that the reader uses. The default one does not purge
// blocks from JetStream.
func WithDeleter(d Deleter) Option { return func(r *Reader) { r.deleter = d } }

// WithPrices sets the source of price tables. The default one has the table that is part of
// the program.
func WithPrices(source prices.Source) Option { return func(r *Reader) { r.prices = source } }

// WithoutSettled has the reader read all usage from the tables that streams are written to.
func WithoutSettled() Option { return func(r *Reader) { r.unsettled = true } }

// Unsettled reports whether the reader was made WithoutSettled.
func (r *Reader) Unsettled() bool { return r.unsettled }

// WithRepeatedLimit sets how many repeated ids of facts a report reads apart from the rest;
// default 100,000. With more of them it is cheaper to treat all facts as if they were repeated.
func WithRepeatedLimit(n int) Option { return func(r *Reader) { r.repeated = n } }

// RepeatedLimit returns the limit that WithRepeatedLimit sets.
func (r *Reader) RepeatedLimit() int { return r.repeated }

// Prices returns the price table with a hash, or the current one for "".
func (r *Reader) Prices(ctx context.Context, hash string) (*prices.Effective, error) {
	return r.prices.Effective(ctx, hash)
}
