package access

import (
	"time"

	"tapedeck/schema"
)

// Kind is how a principal was recognised.
type Kind string

const (
	KindLocal Kind = "local" // a server without tokens, on loopback
	KindToken Kind = "token"
	KindUser  Kind = "user"  // who logged in in a browser
	KindShare Kind = "share" // who opened a link to a session
)

// storage says how the credentials of one kind are stored and named.
type storage struct {
	bucket string // the key-value bucket with their records
	prefix string // begins the text of each credential
	name   string // in messages
}

var storages = map[Kind]storage{
	KindToken: {Bucket, "td_", "token"},
	KindUser:  {LoginBucket, "tdl_", "login"},
	KindShare: {ShareBucket, SharePrefix, "shared link"},
}

// SharePrefix begins the text of every shared link.
const SharePrefix = "tds_"

// The key-value buckets.
const (
	Bucket      = "TAPEDECK_TOKENS"
	LoginBucket = "TAPEDECK_LOGINS"
	ShareBucket = "TAPEDECK_SHARES"
)

// Login is what a login has beside a token: in a browser, whose cookie has its text.
type Login struct {
	Issuer  string `json:"issuer,omitempty"`   // of the OpenID provider
	Subject string `json:"subject,omitempty"`  // the user's id there
	TokenID string `json:"token_id,omitempty"` // the token that was exchanged for the login; it ends with the token
	// Grants are what the user may do, by tenant; empty for a login by token.
	Grants []Grant `json:"grants,omitempty"`
	// Selected is the tenant that requests are about, of a principal that may see several.
	Selected string `json:"selected,omitempty"`
}

// Grant is what a user may do in a tenant.
type Grant struct {
	Tenant string  `json:"tenant"`
	Scopes []Scope `json:"scopes"`
}

// Share is what a link opens.
type Share struct {
	Session string     `json:"session"`
	From    *time.Time `json:"from"` // of the first frame; nil for the beginning of the session
	To      *time.Time `json:"to"`   // of the last frame
	Note    string     `json:"note"`
}

// Shown returns what the link shows of itself. A session without an id of its own has the id of its
// first stream, in which Shown replaces the time of the start.
func (s *Share) Shown() *Share {
	if s == nil || s.From == nil {
		return s
	}
	shown := *s
	shown.Session = schema.StartedFrom(s.Session, s.From.UnixNano())
	return &shown
}
