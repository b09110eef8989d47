package access

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/loopback"
	"tapedeck/internal/speedtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	bounded.Receive(t, s.Ready())
	return s
}

func (s *Store) must(t *testing.T, r Request) (*Token, string) {
	t.Helper()
	token, text, err := s.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return token, text
}

func (s *Store) try(text string) error {
	_, _, done, err := s.Accept(context.Background(), text)
	if err == nil {
		done()
	}
	return err
}

// What one server makes and revokes holds on the other, and for what is under way there.
func TestTwoServers(t *testing.T) {
	nc := localtest.NATS(t)
	a, b := open(t, Options{NATS: nc}), open(t, Options{NATS: nc})
	made, text := a.must(t, Request{Name: "ci", Tenant: "acme", Scopes: []Scope{Record, Read, Record}})
	if err := a.try(text); err != nil {
		t.Fatalf("the server that made it: %v", err)
	}
	bounded.Until(t, "the other server accepts it", func() bool { return b.try(text) == nil })
	ctx, p, done, err := b.Accept(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if p.ID != made.ID || p.Tenant != "acme" || p.Name != "ci" || len(p.Scopes) != 2 || p.Kind != KindToken {
		t.Errorf("principal %+v", p)
	}
	bounded.Until(t, "both know of the use", func() bool {
		l, err := a.List("acme")
		return err == nil && len(l) == 1 && l[0].LastUsed != nil
	})
	if _, err := a.Revoke(t.Context(), "other", made.ID); !errors.Is(err, ErrNone) {
		t.Errorf("another tenant revokes it: %v", err)
	}
	if _, err := a.Revoke(t.Context(), "acme", "0123456789"); !errors.Is(err, ErrNone) {
		t.Errorf("an id that there is not: %v", err)
	}
	if err := b.try(text); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Revoke(t.Context(), "acme", made.ID); err != nil {
		t.Fatal(err)
	}
	if err := a.try(text); !errors.Is(err, ErrRevoked) {
		t.Errorf("the server that revoked it: %v", err)
	}
	bounded.Receive(t, ctx.Done())
	if !errors.Is(context.Cause(ctx), ErrRevoked) {
		t.Errorf("the request on the other server ended with %v", context.Cause(ctx))
	}
	if err := b.try(text); !errors.Is(err, ErrRevoked) {
		t.Errorf("the other server: %v", err)
	}
	again, err := b.Revoke(t.Context(), AllTenants, made.ID)
	if err != nil || again.RevokedAt == nil {
		t.Errorf("revoked twice: %v, %v", again, err)
	}
	for tenant, want := range map[string]int{"acme": 1, "other": 0, AllTenants: 1} {
		if l, err := b.List(tenant); err != nil || len(l) != want {
			t.Errorf("tokens of %s: %d, %v, want %d", tenant, len(l), err, want)
		}
	}
}

// Neither the bucket nor a list holds a token's text.
func TestTextIsNotStored(t *testing.T) {
	s := open(t, Options{NATS: localtest.NATS(t)})
	_, text := s.must(t, Request{Name: "x", Tenant: "acme", Scopes: []Scope{Read}})
	keys, err := s.kv.ListKeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for key := range keys.Keys() {
		e, err := s.kv.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if strings.Contains(key+string(e.Value()), text[len("td_"):len("td_")+10]) {
			t.Errorf("%s holds the text: %s", key, e.Value())
		}
	}
	if n == 0 {
		t.Error("the bucket is empty")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := open(t, Options{NATS: localtest.NATS(t)})
	soon := time.Now().Add(3 * time.Second)
	_, text := s.must(t, Request{Name: "short", Tenant: "acme", Scopes: []Scope{Read}, ExpiresAt: &soon})
	ctx, _, done, err := s.Accept(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), ErrExpired) || time.Now().Before(soon) {
		t.Errorf("the request ended with %v", context.Cause(ctx))
	}
	for what, tc := range map[string]struct {
		text string
		want error
	}{
		"expired": {text, ErrExpired}, "malformed": {"sk-123", ErrMalformed}, "checksum": {known[0][:38] + "0", ErrChecksum}, "unknown": {known[0], ErrUnknown},
	} {
		if err := s.try(tc.text); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	past := time.Now().Add(-time.Second)
	for what, r := range map[string]Request{
		"no name": {Tenant: "a", Scopes: []Scope{Read}}, "control": {Name: "a\nb", Tenant: "a", Scopes: []Scope{Read}},
		"no scope": {Name: "x", Tenant: "a"}, "scope": {Name: "x", Tenant: "a", Scopes: []Scope{"write"}},
		"tenant": {Name: "x", Tenant: "a b", Scopes: []Scope{Read}}, "no tenant": {Name: "x", Scopes: []Scope{Read}},
		"all": {Name: "x", Tenant: AllTenants, Scopes: []Scope{Read}}, "past": {Name: "x", Tenant: "a", Scopes: []Scope{Read}, ExpiresAt: &past},
	} {
		if _, _, err := s.Create(t.Context(), r); err == nil {
			t.Errorf("%s: made", what)
		}
	}
}

// Without NATS the copy serves for MaxAge. With NATS back, so is the store, with what was
// revoked by another server meanwhile.
func TestNATSAway(t *testing.T) {
	t.Parallel()
	o := broker.Options{Dir: t.TempDir(), Listen: loopback.Free(t), Token: "t"}
	server := localtest.Broker(t, o)
	connect := func() *nats.Conn {
		nc, err := nats.Connect(server.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	age := 5 * time.Second // NATS may take seconds to stop
	s := open(t, Options{NATS: connect(), MaxAge: age})
	_, kept := s.must(t, Request{Name: "kept", Tenant: "acme", Scopes: []Scope{Read}})
	gone, goneText := s.must(t, Request{Name: "gone", Tenant: "acme", Scopes: []Scope{Read}})
	if err := server.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	running, _, done, err := s.Accept(t.Context(), kept)
	if err != nil {
		t.Fatalf("right after NATS went: %v", err)
	}
	defer done()
	bounded.Until(t, "the copy is too old", func() bool { return errors.Is(s.try(kept), ErrAway) })
	speedtest.Within(t, "the copy served on", time.Since(stopped), age+time.Second)
	bounded.Receive(t, running.Done())
	if err := context.Cause(running); !errors.Is(err, ErrAway) {
		t.Errorf("what ran ended with %v", err)
	}
	if _, err := s.List("acme"); !errors.Is(err, ErrAway) {
		t.Errorf("the list: %v", err)
	}
	server = localtest.Broker(t, o)
	other := open(t, Options{NATS: connect()})
	if _, err := other.Revoke(t.Context(), "acme", gone.ID); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "tokens are checked again", func() bool { return s.try(kept) == nil })
	// The store may have confirmed its copy before the other server revoked the token.
	bounded.Until(t, "the revoked token is refused", func() bool { return errors.Is(s.try(goneText), ErrRevoked) })
}

// A bucket that is deleted takes its tokens along.
func TestBucketMadeAnew(t *testing.T) {
	t.Parallel()
	s := open(t, Options{NATS: localtest.NATS(t)})
	_, text := s.must(t, Request{Name: "x", Tenant: "acme", Scopes: []Scope{Read}})
	if err := s.js.DeleteKeyValue(t.Context(), Bucket); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the token is unknown", func() bool { return errors.Is(s.try(text), ErrUnknown) })
	_, text = s.must(t, Request{Name: "x", Tenant: "acme", Scopes: []Scope{Read}})
	if err := s.try(text); err != nil {
		t.Error(err)
	}
}

// Many requests end and begin while tokens come and go.
func TestAtOnce(t *testing.T) {
	s := open(t, Options{NATS: localtest.NATS(t)})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				token, text, err := s.Create(context.Background(), Request{Name: "x", Tenant: "acme", Scopes: []Scope{Read}})
				if err != nil {
					t.Error(err)
					return
				}
				ctx, _, done, err := s.Accept(context.Background(), text)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Revoke(context.Background(), "acme", token.ID); err != nil || ctx.Err() == nil {
					t.Errorf("revoked: %v, the request's context: %v", err, ctx.Err())
				}
				done()
			}
		})
	}
	all.Wait()
	if n := len(s.copy.open); n != 0 {
		t.Errorf("%d tokens have requests under way", n)
	}
}

// Tokens that are invalid for long are removed; others stay.
func TestOldTokens(t *testing.T) {
	s := open(t, Options{NATS: localtest.NATS(t)})
	soon := time.Now().Add(time.Hour)
	revoked, _ := s.must(t, Request{Name: "revoked", Tenant: "acme", Scopes: []Scope{Read}})
	s.must(t, Request{Name: "expires", Tenant: "acme", Scopes: []Scope{Read}, ExpiresAt: &soon})
	_, kept := s.must(t, Request{Name: "kept", Tenant: "acme", Scopes: []Scope{Read}})
	if _, err := s.Revoke(t.Context(), "acme", revoked.ID); err != nil {
		t.Fatal(err)
	}
	s.tidy(t.Context(), time.Now())
	if list, err := s.List("acme"); err != nil || len(list) != 3 {
		t.Fatalf("%d tokens, %v", len(list), err)
	}
	s.tidy(t.Context(), time.Now().Add(KeepInvalid+2*time.Hour))
	bounded.Until(t, "the old tokens are gone", func() bool {
		list, err := s.List("acme")
		return err == nil && len(list) == 1 && list[0].Name == "kept"
	})
	if err := s.try(kept); err != nil {
		t.Error(err)
	}
}
