package access

import (
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

// Bucket is the key-value bucket with the tokens.
const Bucket = "TAPEDECK_TOKENS"

// Keys of the bucket: a token and its last use are apart, so that a use that is noted never
// overwrites a revocation.
const (
	tokenKey = "token."
	usedKey  = "used."
	adminKey = "admin"
)

// Options configure a store. The zero value of a field stands for its default.
type Options struct {
	NATS     *nats.Conn
	Replicas int           // of the bucket; default 1
	MaxAge   time.Duration // how long the copy serves without NATS; default DefaultMaxAge
	Log      *slog.Logger
	// AdminFile is the path of the file for the token of an administrator of all tenants,
	// which is made if there is none that is valid; "" makes none.
	AdminFile string
}

// DefaultMaxAge is how long tokens are checked against a copy that could not be confirmed.
const DefaultMaxAge = time.Minute

// Store checks and changes tokens. It is safe for use by many goroutines.
type Store struct {
	opts   Options
	js     jetstream.JetStream
	now    func() time.Time
	life   context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{}
	ready  chan struct{}  // closed once the copy was complete for the first time
	writes sync.WaitGroup // of uses, and tend

	mu        sync.Mutex // guards all below
	kv        jetstream.KeyValue
	copy      copied
	changed   chan struct{} // closed and replaced when the copy changes
	confirmed time.Time     // when the copy was known to be complete; zero for never
}

// Open starts a store. It does not wait for NATS: until the bucket was read, tokens are
// answered with ErrAway. Close ends it.
func Open(o Options) (*Store, error) {
	if o.MaxAge == 0 {
		o.MaxAge = DefaultMaxAge
	}
	o.Replicas = max(o.Replicas, 1)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	js, err := jetstream.New(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("tokens: JetStream: %w", err)
	}
	s := &Store{opts: o, js: js, now: time.Now, done: make(chan struct{}), ready: make(chan struct{}), changed: make(chan struct{})}
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

// Create makes a token. Its text is returned here and nowhere else.
func (s *Store) Create(ctx context.Context, r Request) (*Token, string, error) {
	text := newText()
	t, err := s.create(ctx, r, text)
	return t, text, err
}

func (s *Store) create(ctx context.Context, r Request, text string) (*Token, error) {
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
	entry := stored{Hash: hex.EncodeToString(sum[:]), Token: Token{
		ID: randomWord(idLength), Name: r.Name, Tenant: r.Tenant, Scopes: slices.Compact(scopes), CreatedAt: now, CreatedBy: r.CreatedBy, ExpiresAt: r.ExpiresAt,
	}}
	value, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	revision, err := kv.Create(ctx, tokenKey+entry.ID, value)
	if err != nil {
		return nil, fmt.Errorf("store token %q in %s: %w", r.Name, Bucket, err)
	}
	return &entry.Token, s.seen(ctx, revision)
}

// List returns the tokens of a tenant, AllTenants for all, the latest first.
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

// Revoke revokes a token of a tenant, AllTenants for any. It returns once this server
// refuses the token; others refuse it when they receive the change. A token that is revoked
// already stays so. ErrNone is for ids of other tenants as well.
func (s *Store) Revoke(ctx context.Context, tenant, id string) (*Token, error) {
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
			return nil, fmt.Errorf("read token %s in %s: %w", id, Bucket, err)
		}
		entry, err := parseStored(had.Value())
		if err != nil {
			return nil, fmt.Errorf("read token %s in %s: %w", id, Bucket, err)
		}
		if tenant != AllTenants && entry.Tenant != tenant {
			return nil, ErrNone
		}
		if entry.RevokedAt != nil {
			return &entry.Token, s.seen(ctx, had.Revision())
		}
		now := s.now().UTC()
		entry.RevokedAt = &now
		value, err := json.Marshal(entry)
		if err != nil {
			return nil, err
		}
		revision, err := kv.Update(ctx, tokenKey+id, value, had.Revision())
		if refused, is := errors.AsType[*jetstream.APIError](err); is && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue // it was changed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("revoke token %s in %s: %w", id, Bucket, err)
		}
		return &entry.Token, s.seen(ctx, revision)
	}
}

// bucket returns the bucket, or ErrAway before it was found.
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

// current returns ErrAway if the copy is too old. It needs mu.
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
