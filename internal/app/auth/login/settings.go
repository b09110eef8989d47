package login

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tapedeck/internal/origin"
)

// Settings configure how users log in.
type Settings struct {
	Public   *url.URL // the address by which browsers call the server; nil for the address of the request
	Issuer   string   // of the OpenID provider; "" for logins by token only
	ClientID string
	Secret   string // "" for a public client, which only PKCE protects
	Scopes   []string
	Rules    []Rule
	Life     time.Duration // lifetime of a login; default DefaultLife
	Idle     time.Duration // how long a login may be unused, at most Life; default DefaultIdle
}

// Default lifetimes of a login.
const (
	DefaultLife = 12 * time.Hour
	DefaultIdle = time.Hour
	// idleLeast is the minimum of Idle. It is well above a minute, the interval at which the use of
	// a login is stored.
	idleLeast = 5 * time.Minute
)

// ParsePublic parses the address by which browsers call a server.
func ParsePublic(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%q: it must be like https://tapedeck.example.com", text)
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, fmt.Errorf(
			"%q: it must be a scheme, a host and a port at most; tapedeck is served at the top of an address", text,
		)
	}
	return &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}, nil
}

// CheckTimes returns an error for times of logins that cannot work, and sets defaults.
func (s *Settings) CheckTimes() error {
	if s.Life == 0 {
		s.Life = DefaultLife
	}
	if s.Idle == 0 {
		s.Idle = DefaultIdle
	}
	if s.Life < idleLeast || s.Idle < idleLeast {
		return fmt.Errorf("--login-life %v, --login-idle %v: both must be %v or more", s.Life, s.Idle, idleLeast)
	}
	if s.Idle > s.Life {
		return fmt.Errorf(
			"--login-idle %v is above --login-life %v, after which a login ends anyway: set --login-idle to %v or less",
			s.Idle, s.Life, s.Life,
		)
	}
	return nil
}

// Check returns an error for settings that cannot work, and sets defaults.
func (s *Settings) Check() error {
	if err := s.CheckTimes(); err != nil {
		return err
	}
	if s.Issuer == "" {
		if s.ClientID != "" || s.Secret != "" || len(s.Rules) > 0 {
			return errors.New(
				"--oidc-client-id, --oidc-client-secret-file, TAPEDECK_OIDC_CLIENT_SECRET and --oidc-grant go with --oidc-issuer",
			)
		}
		return nil
	}
	u, err := url.Parse(s.Issuer)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("--oidc-issuer %q: it must be the provider's address, like https://login.example.com",
			s.Issuer)
	case u.Scheme == "http" && !origin.IsLoopback(u.Host):
		return fmt.Errorf("--oidc-issuer %q: a provider beyond loopback must be called by https", s.Issuer)
	case s.ClientID == "":
		return errors.New("--oidc-issuer needs --oidc-client-id, the name under which the provider knows this server")
	case len(s.Rules) == 0:
		return errors.New("--oidc-issuer needs --oidc-grant: without it no user has any rights")
	case s.Public == nil:
		return errors.New("--oidc-issuer needs --public-url: the provider sends browsers back to it")
	case !s.secure() && !origin.IsLoopback(s.Public.Host):
		return fmt.Errorf("--public-url %s: logins beyond loopback need https", s.Public)
	}
	return nil
}

// secure reports whether browsers call the server by https.
func (s *Settings) secure() bool { return s.Public != nil && s.Public.Scheme == "https" }

// fromOwnPage reports whether a request comes from the server's own page or does not come from a
// browser.
func (s *Settings) fromOwnPage(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	from := r.Header.Get("Origin")
	return from == "" || s.isOwn(from, r)
}

// isOwn reports whether an origin is the server's own: its public origin or, if the request was
// sent to another host, the origin of the request's address.
func (s *Settings) isOwn(from string, r *http.Request) bool {
	if s.Public != nil {
		if strings.EqualFold(from, s.Public.String()) {
			return true
		}
		if strings.EqualFold(r.Host, s.Public.Host) {
			return false
		}
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return strings.EqualFold(from, scheme+r.Host)
}

// byTLS reports whether the browser that sent a request called the server by https.
func (s *Settings) byTLS(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return s.secure() && (strings.EqualFold(r.Host, s.Public.Host) || strings.EqualFold(r.Header.Get("Origin"),
		s.Public.String()))
}
