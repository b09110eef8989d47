package access

import (
	"errors"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
)

// A login ends when it is unused for too long, and not while a request of it runs.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := open(t, Options{NATS: localtest.NATS(t), Kind: KindUser, Idle: 2 * time.Second, TTL: time.Minute})
	login, text, err := s.CreateLogin(t.Context(), Request{Name: "ann", Tenant: "acme", Scopes: []Scope{Read}}, Login{Subject: "1", Grants: []Grant{{Tenant: "acme", Scopes: []Scope{Read}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, p, done, err := s.Accept(t.Context(), text)
	if err != nil || p.Kind != KindUser || p.Login == nil || p.Login.Subject != "1" {
		t.Fatalf("%+v, %v", p, err)
	}
	time.Sleep(2500 * time.Millisecond) // longer than Idle, which the store compares with the time of entries in NATS
	if err := s.try(text); err != nil {
		t.Errorf("while a request runs: %v", err)
	}
	if err := s.Select(t.Context(), login.ID, "other"); err != nil {
		t.Fatal(err)
	}
	_, p, again, err := s.AcceptID(t.Context(), login.ID)
	if err != nil || p.Login.Selected != "other" {
		t.Fatalf("by id: %+v, %v", p, err)
	}
	again()
	done()
	bounded.Until(t, "the login is idle", func() bool { return errors.Is(s.try(text), ErrIdle) })
	if _, _, _, err := s.AcceptID(t.Context(), login.ID); !errors.Is(err, ErrIdle) {
		t.Errorf("by id: %v", err)
	}
	for _, id := range []string{"", "0123456789", "*", login.ID + "x"} {
		if _, _, _, err := s.AcceptID(t.Context(), id); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A store that starts when the bucket has removed all entries by age is current.
func TestEntriesRemovedByAge(t *testing.T) {
	t.Parallel()
	nc := localtest.NATS(t)
	s := open(t, Options{NATS: nc, Kind: KindUser, TTL: 3 * time.Second})
	at := time.Now().Add(2 * time.Second)
	_, text, err := s.CreateLogin(t.Context(), Request{Name: "ann", Tenant: "acme", Scopes: []Scope{Read}, ExpiresAt: &at}, Login{})
	if err != nil {
		t.Fatal(err)
	}
	kv, err := s.bucket()
	if err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the bucket is empty", func() bool {
		status, err := kv.Status(t.Context())
		return err == nil && status.Values() == 0
	})
	later := open(t, Options{NATS: nc, Kind: KindUser, TTL: 3 * time.Second})
	if err := later.try(text); !errors.Is(err, ErrUnknown) {
		t.Errorf("a store that starts later: %v", err)
	}
	bounded.Until(t, "the first store forgets the login", func() bool { return errors.Is(s.try(text), ErrUnknown) })
}
