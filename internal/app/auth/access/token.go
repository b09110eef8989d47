package access

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"tapedeck/ingest"
	"tapedeck/internal/problem"
)

// Reasons why a token is refused.
var (
	ErrMalformed = errors.New("malformed")
	ErrChecksum  = errors.New("wrong checksum")
	ErrUnknown   = errors.New("unknown")
	ErrRevoked   = errors.New("revoked")
	ErrExpired   = errors.New("expired")
	// ErrIdle is the error for a login that was unused for too long.
	ErrIdle = errors.New("unused for too long")
	// ErrAway is the error for a token that cannot be checked, because the copy of the bucket is
	// too old.
	ErrAway = problem.ErrUnchecked
)

// ErrNone is the error for an id that no token of the tenant has.
var ErrNone = errors.New("no token has this id")

// Token is a token in a list: without its text, of which only the hash is stored.
type Token struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Tenant    string     `json:"tenant"` // AllTenants for all
	Scopes    []Scope    `json:"scopes"`
	CreatedAt time.Time  `json:"created_at"`
	CreatedBy string     `json:"created_by"` // id of the token or user that created it; "" for the server
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	LastUsed  *time.Time `json:"last_used"` // accurate to a minute
}

// Request describes a token to create.
type Request struct {
	Name      string
	Tenant    string
	Scopes    []Scope
	ExpiresAt *time.Time
	CreatedBy string
}

// nameLimit bounds the name of a token, bytes.
const nameLimit = 100

// Check returns an error for an invalid request.
func (r *Request) Check(now time.Time) error {
	if r.Name == "" || len(r.Name) > nameLimit || !utf8.ValidString(r.Name) || slices.ContainsFunc([]rune(r.Name), unicode.IsControl) {
		return fmt.Errorf("name %q: a token needs a printable name of at most %d bytes", r.Name, nameLimit)
	}
	if r.Tenant != AllTenants {
		if err := ingest.CheckTenant(r.Tenant); err != nil {
			return err
		}
	} else if !slices.Contains(r.Scopes, Admin) {
		return fmt.Errorf("tenant %q stands for all tenants and goes with the scope %s only", r.Tenant, Admin)
	}
	if r.ExpiresAt != nil && !r.ExpiresAt.After(now) {
		return fmt.Errorf("expires_at %s: it must be in the future", r.ExpiresAt.Format(time.RFC3339))
	}
	return CheckScopes(r.Scopes)
}

// stored is a token as the bucket stores it.
type stored struct {
	Token
	Hash  string `json:"hash"` // SHA-256 of the text, in hexadecimal
	Login *Login `json:"login,omitempty"`
	Share *Share `json:"share,omitempty"`
}

// digest returns the hash; ok is false for a damaged entry.
func (s *stored) digest() (d digest, ok bool) {
	text, err := hex.DecodeString(s.Hash)
	if err != nil || len(text) != len(d) {
		return d, false
	}
	copy(d[:], text)
	return d, true
}

func parseStored(value []byte) (*stored, error) {
	s := &stored{}
	if err := json.Unmarshal(value, s); err != nil {
		return nil, err
	}
	if _, ok := s.digest(); !ok || s.ID == "" {
		return nil, errors.New("the entry has no hash or id")
	}
	return s, nil
}

// valid returns why a token is refused at a time, nil if it is valid.
func (t *Token) valid(now time.Time) error {
	switch {
	case t.RevokedAt != nil:
		return ErrRevoked
	case t.ExpiresAt != nil && !now.Before(*t.ExpiresAt):
		return ErrExpired
	}
	return nil
}
