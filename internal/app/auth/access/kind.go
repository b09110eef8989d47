package access

import (
	"time"

	"tapedeck/schema"
)

// Kind is how a principal was authenticated.
type Kind string

const (
	KindLocal Kind = "local" // a server without tokens, on loopback
	KindToken Kind = "token"
	KindUser  Kind = "user"  // a user who logged in in a browser
	KindShare Kind = "share" // a user of a shared link
)

// storage describes how the credentials of one kind are stored and named.
type storage struct {
	bucket string // the key-value bucket with the records
	prefix string // prefix of the text of each credential
	name   string // in messages
}

var storages = map[Kind]storage{
	KindToken: {Bucket, "td_", "token"},
	KindUser:  {LoginBucket, "tdl_", "login"},
	KindShare: {ShareBucket, SharePrefix, "shared link"},
}

// SharePrefix is the prefix of the text of every shared link.
const SharePrefix = "tds_"

// Names of the key-value buckets.
const (
	Bucket      = "TAPEDECK_TOKENS"
	LoginBucket = "TAPEDECK_LOGINS"
	ShareBucket = "TAPEDECK_SHARES"
)

// Login holds the additional fields of a login in a browser, whose cookie has the text of the
// credential.
type Login struct {
	Issuer  string `json:"issuer,omitempty"`   // of the OpenID provider
	Subject string `json:"subject,omitempty"`  // the user's id at the provider
	TokenID string `json:"token_id,omitempty"` // the token that was exchanged for the login; revoking the token ends the login
	// Grants are the user's rights by tenant; empty for a login by token.
	Grants []Grant `json:"grants,omitempty"`
	// Selected is the tenant of the login's requests, if the principal has access to several
	// tenants.
	Selected string `json:"selected,omitempty"`
}

// Grant holds a user's rights in a tenant.
type Grant struct {
	Tenant string  `json:"tenant"`
	Scopes []Scope `json:"scopes"`
}

// Share describes the session that a shared link opens.
type Share struct {
	Session string     `json:"session"`
	From    *time.Time `json:"from"` // time of the first frame; nil for the beginning of the session
	To      *time.Time `json:"to"`   // time of the last frame
	Note    string     `json:"note"`
}

// Shown returns the share as its users see it. A session without an id of its own has the id of its
// first stream, in which Shown replaces the start time.
func (s *Share) Shown() *Share {
	if s == nil || s.From == nil {
		return s
	}
	shown := *s
	shown.Session = schema.StartedFrom(s.Session, s.From.UnixNano())
	return &shown
}
