package login

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
)

// Logins holds the logins of a server.
type Logins struct {
	Settings Settings
	tokens   *access.Store
	store    *access.Store
	flows    *access.Once
	provider *provider // nil without one
	audit    *audit.Log
	log      *slog.Logger
}

// Options configure logins.
type Options struct {
	Settings Settings       // must have been checked
	Store    access.Options // options of the store of logins; Open sets the kind and the times
	Tokens   *access.Store  // checks tokens for logins by token
	Audit    *audit.Log
}

// Open starts the logins of a server with tokens. Close ends them.
func Open(o Options) (*Logins, error) {
	l := &Logins{Settings: o.Settings, tokens: o.Tokens, audit: o.Audit, log: o.Store.Log}
	var err error
	if l.flows, err = access.NewOnce(access.OnceOptions{
		NATS: o.Store.NATS, Bucket: flowBucket, Prefix: "tdf_", Replicas: o.Store.Replicas, Life: flowLife, Most: flowMost,
	}); err != nil {
		return nil, err
	}
	if l.Settings.Issuer != "" {
		l.provider = newProvider(&l.Settings)
	}
	o.Store.Kind, o.Store.Idle, o.Store.TTL = access.KindUser, l.Settings.Idle, l.Settings.Life+time.Hour
	l.store, err = access.Open(o.Store)
	return l, err
}

// Check returns nil while logins can be checked.
func (l *Logins) Check() error { return l.store.Check() }

// Ready returns a channel that is closed once the logins were read.
func (l *Logins) Ready() <-chan struct{} { return l.store.Ready() }

// Close ends the checks of logins on this server. Their entries stay.
func (l *Logins) Close() { l.store.Close() }

// begin creates a login and sets its cookie. It returns the login's end: the end that was asked for,
// or that of the longest login if that is earlier.
func (l *Logins) begin(
	w http.ResponseWriter, r *http.Request, ask access.Request, login access.Login, secure bool,
) (time.Time, error) {
	until := time.Now().Add(l.Settings.Life).UTC()
	if ask.ExpiresAt == nil || ask.ExpiresAt.After(until) {
		ask.ExpiresAt = &until
	}
	who := audit.Principal{Kind: string(access.KindUser), ID: login.Subject, Name: ask.Name}
	if login.TokenID != "" {
		who.ID = login.TokenID
	}
	if err := l.record(r, audit.Login, who, ask.Tenant); err != nil {
		return time.Time{}, err
	}
	_, text, err := l.store.CreateLogin(r.Context(), ask, login)
	if err != nil {
		return time.Time{}, err
	}
	if had := valueOf(r, cookieName); had != "" {
		l.end(r.Context(), had)
	}
	http.SetCookie(w, cookie(cookieName, text, secure, time.Until(*ask.ExpiresAt)))
	return *ask.ExpiresAt, nil
}

// record records a login or logout in the audit log.
func (l *Logins) record(r *http.Request, a audit.Action, who audit.Principal, tenant string) error {
	e := audit.Of(tenant, who, a, "", audit.Done)
	e.Remote, _, _ = net.SplitHostPort(r.RemoteAddr)
	return l.audit.Record(r.Context(), e)
}

// denied records a refused login in the audit log.
func (l *Logins) denied(r *http.Request, who audit.Principal, status int) {
	e := audit.Of("", who, audit.Login, "", audit.Refused)
	e.Status = status
	e.Remote, _, _ = net.SplitHostPort(r.RemoteAddr)
	l.audit.Refused(e)
}

// end revokes the login that a text identifies, if there is one.
func (l *Logins) end(ctx context.Context, text string) {
	_, p, done, err := l.store.Accept(ctx, text)
	if err != nil {
		return
	}
	done()
	if err := l.revoke(ctx, p.ID); err != nil {
		l.log.Warn("login: a login was not ended", "login", p.ID, "error", err)
	}
}

// revokeTimeout bounds a logout.
const revokeTimeout = 5 * time.Second

// revoke ends a login. The request that revokes it may itself be authenticated by the login, and is
// completed.
func (l *Logins) revoke(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
	defer cancel()
	_, err := l.store.Revoke(ctx, access.AllTenants, id)
	return err
}

// TextOf returns the text of a request's login, or "" if there is none. It ignores the cookie in
// requests from pages of other sites. In a request that changes something, it also ignores the
// cookie unless the browser states which page the request comes from.
func (l *Logins) TextOf(r *http.Request) string {
	if !l.Settings.fromOwnPage(r) {
		return ""
	}
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodOptions ||
		r.Header.Get("Upgrade") != ""
	if changes && r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return ""
	}
	return valueOf(r, cookieName)
}

// Accept checks the text of a login, as access.Store.Accept does. A login by token is valid only
// while the token is valid.
func (l *Logins) Accept(ctx context.Context, text string) (context.Context, *access.Principal, func(), error) {
	return l.complete(l.store.Accept(ctx, text))
}

// AcceptID does the same as Accept, given the login's id.
func (l *Logins) AcceptID(ctx context.Context, id string) (context.Context, *access.Principal, func(), error) {
	return l.complete(l.store.AcceptID(ctx, id))
}

func (l *Logins) complete(
	ctx context.Context, p *access.Principal, done func(), err error,
) (context.Context, *access.Principal, func(), error) {
	if err != nil || p.Login == nil {
		return ctx, p, done, err
	}
	if p.Login.TokenID != "" {
		inner, token, also, err := l.tokens.AcceptID(ctx, p.Login.TokenID)
		if err != nil {
			done()
			return ctx, nil, nil, err
		}
		both := *token
		both.Kind, both.ID, both.Login, both.Expires = access.KindUser, p.ID, p.Login, p.Expires
		return inner, &both, func() { also(); done() }, nil
	}
	for _, g := range p.Login.Grants {
		if g.Tenant == p.Login.Selected {
			p.Tenant, p.Scopes = g.Tenant, g.Scopes
		}
	}
	return ctx, p, done, nil
}

// may reports whether a principal may select a tenant.
func may(p *access.Principal, tenant string) bool {
	for _, g := range p.Login.Grants {
		if g.Tenant == tenant {
			return true
		}
	}
	return p.Tenant == access.AllTenants
}

// isRefusal reports whether an error concerns the credential, and not NATS.
func isRefusal(err error) bool {
	_, is := errors.AsType[*access.Refusal](err)
	return is && !errors.Is(err, access.ErrAway)
}

// printable reports whether a name is valid for a credential.
func printable(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
}

// shorten truncates a name to the maximum length of a credential's name.
func shorten(name string) string {
	const most = 100
	if len(name) <= most {
		return name
	}
	name = name[:most]
	for !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	return name
}
