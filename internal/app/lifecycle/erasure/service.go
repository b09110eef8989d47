package erasure

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/failpoint"
	"tapedeck/schema/lifecycle/erasure"
	"tapedeck/schema/lifecycle/tombstone"
)

// Options configure a Service. The zero value of a field means its default.
type Options struct {
	NATS    *nats.Conn
	DB      driver.Conn
	Deleted *tombstone.Set
	// Announce announces the sessions that were erased, for the caches of all servers; nil for none.
	Announce func(context.Context, ...tombstone.Key) error
	Letters  *deadletters.Store
	// Tokens revokes the tokens of an erased tenant; nil on a server without tokens.
	Tokens *access.Store
	// Spooled returns how long the oldest block in the spool of this process has waited; 0 for an
	// empty spool. It is nil for a process without a spool.
	Spooled func() time.Duration
	// Within is the time within which an erasure should be verified; default 1 h.
	Within time.Duration
	// Grace is the time within which every process receives a tombstone, and inserts and live
	// readers that began before it end; default 5 s.
	Grace time.Duration
	// Sync is the time within which NATS compacts files: its sync_interval and some more; default 5
	// min.
	Sync time.Duration
	// Every is the interval between attempts; default 2 s.
	Every time.Duration
	Log   *slog.Logger
}

// Service accepts and processes erasures. It is safe for use by many goroutines.
type Service struct {
	opts   Options
	store  *erasure.Store
	stones *tombstone.Store
	holder string
	wake   chan struct{}
	// The fields below are used by Run only.
	asked  time.Time // when late rows were last searched for
	rolled rolled
}

// New returns a service. Run processes the requested erasures.
func New(opts Options) *Service {
	if opts.Within == 0 {
		opts.Within = time.Hour
	}
	if opts.Grace == 0 {
		opts.Grace = 5 * time.Second
	}
	if opts.Sync == 0 {
		opts.Sync = 5 * time.Minute
	}
	if opts.Every == 0 {
		opts.Every = 2 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		opts: opts, store: erasure.NewStore(opts.DB),
		stones: tombstone.NewStore(opts.DB).WithAnnouncements(opts.Announce),
		holder: rand.Text(), wake: make(chan struct{}, 1),
	}
}

// Request describes what to erase.
type Request struct {
	Tenant string
	Kind   erasure.Kind
	// Sessions are session ids, for the kind Sessions.
	Sessions []string
	// Tag and Value are for the kind Tag.
	Tag, Value string
	By         string // who requests the erasure
}

// record returns the record of a request.
func (s *Service) record(r *Request) (*erasure.Erasure, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make the id of an erasure: %w", err)
	}
	now := time.Now().UTC()
	e := &erasure.Erasure{
		ID: id.String(), Tenant: r.Tenant, Kind: r.Kind, State: erasure.Requested,
		RequestedAt: now, RequestedBy: r.By, Due: now.Add(s.opts.Within), Remarks: []string{},
	}
	switch r.Kind {
	case erasure.Sessions:
		e.Named = slices.Compact(slices.Sorted(slices.Values(r.Sessions)))
	case erasure.Tag:
		// The value may be personal data, and the record outlives the recordings.
		e.TagKey, e.Salt = r.Tag, rand.Text()
		sum := sha256.Sum256([]byte(e.Salt + r.Value))
		e.TagHash = hex.EncodeToString(sum[:])
	}
	return e, nil
}

// Preview returns what a request would erase, without erasing it.
func (s *Service) Preview(ctx context.Context, r Request) (*erasure.Erasure, []string, error) {
	e, err := s.record(&r)
	if err != nil {
		return nil, nil, err
	}
	sessions, err := s.covered(ctx, e, nil)
	if err != nil {
		return nil, nil, err
	}
	e.ID, e.Salt = "", ""
	return e, sessions, nil
}

// covered returns the sessions that an erasure covers, and counts their data. whole is the tombstone
// of the tenant, nil before it is written.
func (s *Service) covered(ctx context.Context, e *erasure.Erasure, whole *tombstone.Tombstone) ([]string, error) {
	sessions, err := s.store.Covered(ctx, e, whole)
	if err != nil {
		return nil, err
	}
	counted := sessions
	if e.Kind == erasure.Tenant {
		counted = nil
	} else if counted == nil {
		counted = []string{}
	}
	e.Found, err = s.store.Count(ctx, e.Tenant, counted, e.Until)
	return sessions, err
}

// Request records an erasure and hides what it covers. When it returns, no reader of this server
// returns the data, and within about a second no reader of another server does. Run removes the
// data.
func (s *Service) Request(ctx context.Context, r Request) (*erasure.Erasure, error) {
	e, err := s.record(&r)
	if err != nil {
		return nil, err
	}
	// If a request is interrupted after the record was written, Run completes the erasure.
	if err := s.store.Put(ctx, e); err != nil {
		return nil, err
	}
	requested.WithLabelValues(string(e.Kind)).Inc()
	defer s.notify()
	if err := s.reached(ctx, "requested"); err != nil {
		return nil, err
	}
	if err := s.hide(ctx, e); err != nil {
		return nil, err
	}
	return e, nil
}

// notify makes Run check for work.
func (s *Service) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// reached lets tests stop the work after a step.
func (s *Service) reached(ctx context.Context, step string) error {
	return failpoint.Reach(ctx, "erasure: "+step)
}

// List returns the latest erasures of a tenant, or of erasure.AllTenants.
func (s *Service) List(ctx context.Context, tenant string, limit int) ([]erasure.Erasure, error) {
	return s.store.List(ctx, tenant, limit)
}

// Find returns an erasure; nil if there is none.
func (s *Service) Find(ctx context.Context, tenant, id string) (*erasure.Erasure, error) {
	return s.store.Find(ctx, tenant, id)
}

// Delete erases a session; it implements query.Deleter.
func (s *Service) Delete(ctx context.Context, of tombstone.Key) error {
	_, err := s.Request(ctx, Request{Tenant: of.Tenant, Kind: erasure.Sessions, Sessions: []string{of.Session}, By: By(ctx)})
	return err
}

// Resume reports whether a session is being erased; it implements query.Deleter.
func (s *Service) Resume(ctx context.Context, of tombstone.Key) (bool, error) {
	t, err := s.stones.Find(ctx, of)
	if err != nil || t == nil || t.Finished {
		return false, err
	}
	s.notify()
	return true, nil
}

// By returns the sender of a request, for records.
func By(ctx context.Context) string {
	p := access.From(ctx)
	switch {
	case p == nil:
		return ""
	case p.ID == "":
		return p.Name
	}
	return p.Name + " (" + p.ID + ")"
}
