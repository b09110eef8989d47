package access

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Keys of the bucket. A token and its last use have separate keys, so that writing a use never
// overwrites a revocation.
const (
	tokenKey = "token."
	usedKey  = "used."
	adminKey = "admin"
)

// Options configure a store. The zero value of a field means its default.
type Options struct {
	NATS     *nats.Conn
	Kind     Kind          // of the credentials; default KindToken
	Idle     time.Duration // how long a credential may be unused; default without end
	TTL      time.Duration // age at which entries are removed from the bucket; default never
	Replicas int           // of the bucket; default 1
	MaxAge   time.Duration // how long the copy is used without NATS; default DefaultMaxAge
	Log      *slog.Logger
	// AdminFile is the path of the file for the token of an administrator of all tenants. The
	// server creates the token if none is valid; with "" it creates none.
	AdminFile string
}

// DefaultMaxAge is how long requests are checked against a copy that could not be confirmed.
const DefaultMaxAge = time.Minute

// Store checks and changes the credentials of a kind: tokens, logins or shared links. It is
// safe for use by many goroutines.
type Store struct {
	opts    Options
	storage storage
	js      jetstream.JetStream
	now     func() time.Time
	life    context.Context // ends on Close
	cancel  context.CancelFunc
	done    chan struct{}
	ready   chan struct{}  // closed once the copy was complete for the first time
	writes  sync.WaitGroup // of writes of uses, and of tend

	mu        sync.Mutex // guards all below
	kv        jetstream.KeyValue
	copy      copied
	changed   chan struct{} // closed and replaced when the copy changes
	confirmed time.Time     // when the copy was last known to be complete; zero for never
}

// Open starts a store. It does not wait for NATS: until the bucket was read, the store refuses
// tokens with ErrAway. Close ends the store.
func Open(o Options) (*Store, error) {
	if o.MaxAge == 0 {
		o.MaxAge = DefaultMaxAge
	}
	if o.Kind == "" {
		o.Kind = KindToken
	}
	o.Replicas = max(o.Replicas, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	js, err := jetstream.New(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("%ss: JetStream: %w", storages[o.Kind].name, err)
	}
	s := &Store{opts: o, storage: storages[o.Kind], js: js, now: time.Now, done: make(chan struct{}),
		ready: make(chan struct{}), changed: make(chan struct{})}
	s.copy.reset()
	s.life, s.cancel = context.WithCancel(context.Background())
	go s.run(s.life)
	s.writes.Go(func() { s.tend(s.life) })
	return s, nil
}

// Ready returns a channel that is closed once the bucket was read.
func (s *Store) Ready() <-chan struct{} { return s.ready }

// Close ends the store.
func (s *Store) Close() {
	s.cancel()
	<-s.done
	s.writes.Wait()
}

// Create creates a token and returns its text, which is not stored.
func (s *Store) Create(ctx context.Context, r Request) (*Token, string, error) {
	text := newText(s.storage.prefix)
	t, err := s.create(ctx, r, text, stored{})
	return t, text, err
}

// CreateLogin creates a login. Its text is the value of a cookie.
func (s *Store) CreateLogin(ctx context.Context, r Request, login Login) (*Token, string, error) {
	text := newText(s.storage.prefix)
	t, err := s.create(ctx, r, text, stored{Login: &login})
	return t, text, err
}

// CreateShare creates a shared link. Its text is part of the link.
func (s *Store) CreateShare(ctx context.Context, r Request, share Share) (*Token, string, error) {
	text := newText(s.storage.prefix)
	t, err := s.create(ctx, r, text, stored{Share: &share})
	return t, text, err
}

// create stores an entry. more has the additional fields of the entry's kind.
func (s *Store) create(ctx context.Context, r Request, text string, more stored) (*Token, error) {
	now := s.now().UTC()
	if err := r.Check(now); err != nil {
		return nil, err
	}
	kv, err := s.bucket()
	if err != nil {
		return nil, err
	}
	scopes := slices.Clone(r.Scopes)
	slices.Sort(scopes)
	sum := digestOf(text)
	entry := stored{Login: more.Login, Share: more.Share, Hash: hex.EncodeToString(sum[:]), Token: Token{
		ID: cmp.Or(more.ID, randomWord(idLength)), Name: r.Name, Tenant: r.Tenant,
		Scopes: slices.Compact(scopes), CreatedAt: now, CreatedBy: r.CreatedBy, ExpiresAt: r.ExpiresAt,
	}}
	value, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	revision, err := kv.Create(ctx, tokenKey+entry.ID, value)
	if err != nil {
		return nil, fmt.Errorf("store %s %q in %s: %w", s.storage.name, r.Name, s.storage.bucket, err)
	}
	return &entry.Token, s.seen(ctx, revision)
}

// List returns the tokens of a tenant, or of all with AllTenants, the latest first.
func (s *Store) List(tenant string) ([]Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.current(); err != nil {
		return nil, err
	}
	list := []Token{}
	for _, e := range s.copy.byID {
		if tenant == AllTenants || e.Tenant == tenant {
			t := e.Token
			if at, used := s.copy.used[t.ID]; used {
				t.LastUsed = &at
			}
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b Token) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Shared is a shared link in a list.
type Shared struct {
	Token
	Share *Share
}

// Shares returns the shared links of a tenant, the latest first.
func (s *Store) Shares(tenant string) ([]Shared, error) {
	tokens, err := s.List(tenant)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var shares []Shared
	for _, t := range tokens {
		if e := s.copy.byID[t.ID]; e != nil && e.Share != nil {
			shares = append(shares, Shared{t, e.Share})
		}
	}
	return shares, nil
}

// Revoke revokes a credential of a tenant, or of any tenant with AllTenants. It returns once this
// server refuses the credential; other servers refuse it when they receive the change. It does not
// change a revoked credential. It returns ErrNone for ids of other tenants as well.
func (s *Store) Revoke(ctx context.Context, tenant, id string) (*Token, error) {
	e, err := s.change(ctx, id, func(e *stored) error {
		if tenant != AllTenants && e.Tenant != tenant {
			return ErrNone
		}
		if e.RevokedAt == nil {
			now := s.now().UTC()
			e.RevokedAt = &now
		}
		return nil
	})
	if e == nil {
		return nil, err
	}
	return &e.Token, err
}

// RevokeOf revokes all valid credentials that a token or user has created.
func (s *Store) RevokeOf(ctx context.Context, by string) error {
	all, err := s.List(AllTenants)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.CreatedBy != by || t.valid(s.now()) != nil {
			continue
		}
		if _, err := s.Revoke(ctx, AllTenants, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// Select stores the tenant of a login's requests.
func (s *Store) Select(ctx context.Context, id, tenant string) error {
	_, err := s.change(ctx, id, func(e *stored) error {
		if e.Login == nil || e.RevokedAt != nil {
			return ErrNone
		}
		e.Login.Selected = tenant
		return nil
	})
	return err
}

// change rewrites an entry, and returns once the copy has the change. It does not write an
// unchanged entry.
func (s *Store) change(ctx context.Context, id string, edit func(*stored) error) (*stored, error) {
	kv, err := s.bucket()
	if err != nil {
		return nil, err
	}
	if len(id) != idLength || strings.Trim(id, base62) != "" {
		return nil, ErrNone
	}
	for {
		had, err := kv.Get(ctx, tokenKey+id)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil, ErrNone
		}
		if err != nil {
			return nil, fmt.Errorf("read %s %s in %s: %w", s.storage.name, id, s.storage.bucket, err)
		}
		entry, err := parseStored(had.Value())
		if err != nil {
			return nil, fmt.Errorf("read %s %s in %s: %w", s.storage.name, id, s.storage.bucket, err)
		}
		before, err := json.Marshal(entry)
		if err != nil {
			return nil, err
		}
		if err := edit(entry); err != nil {
			return nil, err
		}
		value, err := json.Marshal(entry)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(value, before) {
			return entry, s.seen(ctx, had.Revision())
		}
		revision, err := kv.Update(ctx, tokenKey+id, value, had.Revision())
		if isStale(err) {
			continue // the entry was changed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("change %s %s in %s: %w", s.storage.name, id, s.storage.bucket, err)
		}
		return entry, s.seen(ctx, revision)
	}
}

// isStale reports whether a write was refused because the entry was changed meanwhile.
func isStale(err error) bool {
	refused, is := errors.AsType[*jetstream.APIError](err)
	return is && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// bucket returns the bucket, or ErrAway if the bucket was not opened yet.
func (s *Store) bucket() (jetstream.KeyValue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kv == nil {
		return nil, ErrAway
	}
	return s.kv, nil
}

// seen waits until the copy has a revision.
func (s *Store) seen(ctx context.Context, revision uint64) error {
	for {
		s.mu.Lock()
		at, changed := s.copy.revision, s.changed
		s.mu.Unlock()
		if at >= revision {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("the change is stored and not yet known here: %w", context.Cause(ctx))
		}
	}
}

// current returns ErrAway if the copy is too old. s.mu is held.
func (s *Store) current() error {
	if s.confirmed.IsZero() || s.now().Sub(s.confirmed) > s.opts.MaxAge {
		return ErrAway
	}
	return nil
}

// Check returns nil while tokens can be checked.
func (s *Store) Check() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current()
}
