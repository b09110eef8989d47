package login

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

const (
	// providerTimeout bounds a request to the provider.
	providerTimeout = 10 * time.Second
	// describeEvery is the interval at which the provider's description is read again.
	describeEvery = time.Hour
	// failedFor is the time after a failure to read the description in which logins fail at once.
	failedFor = 5 * time.Second
)

// provider is the OpenID provider. Its description is read at the first use, so that a server
// starts even if the provider is unavailable. Its keys are read again when a signature has an
// unknown key.
type provider struct {
	settings *Settings
	client   *http.Client

	reading singleflight.Group

	mu     sync.Mutex // guards the fields below
	read   *oidc.Provider
	failed error // error of the last attempt to read the description, nil after a success
	at     time.Time
}

func newProvider(s *Settings) *provider {
	return &provider{
		settings: s,
		client:   &http.Client{Timeout: providerTimeout, Transport: bounded{http.DefaultTransport}},
	}
}

// errProvider is the error for a provider that does not answer, or whose answer is invalid.
var errProvider = errors.New("the OpenID provider cannot be used")

// describe returns the provider's description. If the description cannot be read again, the
// previous one stays in use. Concurrent logins share one request.
func (p *provider) describe(ctx context.Context) (*oidc.Provider, error) {
	if read, known, err := p.described(); known {
		return read, err
	}
	select {
	case r := <-p.reading.DoChan("", p.fetch):
		read, _ := r.Val.(*oidc.Provider)
		return read, r.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// described returns the result of the last attempt to read the description, if it is still valid.
func (p *provider) described() (read *oidc.Provider, known bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	age := time.Since(p.at)
	switch {
	case p.failed != nil && age < failedFor:
		return p.read, true, p.failure()
	case p.failed == nil && p.read != nil && age < describeEvery:
		return p.read, true, nil
	}
	return nil, false, nil
}

// fetch reads the description.
func (p *provider) fetch() (any, error) {
	if read, known, err := p.described(); known { // another call has read it meanwhile
		return read, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), providerTimeout)
	defer cancel()
	read, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.settings.Issuer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.failed = time.Now(), err
	if err == nil {
		p.read = read
	}
	return p.read, p.failure()
}

// failure returns why there is no description, nil if there is one. p.mu is held.
func (p *provider) failure() error {
	if p.read != nil || p.failed == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errProvider, p.failed)
}

// flow returns the addresses of the authorization code flow.
func (p *provider) flow(read *oidc.Provider) *oauth2.Config {
	s := p.settings
	return &oauth2.Config{
		ClientID: s.ClientID, ClientSecret: s.Secret, Endpoint: read.Endpoint(), Scopes: s.Scopes,
		RedirectURL: s.Public.String() + CallbackPath,
	}
}

// user is the user that the provider has authenticated.
type user struct {
	subject string
	name    string
	claims  map[string]any
}

// errRefused is the error for an answer of the provider that is not valid.
var errRefused = errors.New("the OpenID provider's answer is not accepted")

// exchange redeems a code for the user who logged in. The nonce proves that the ID token is for
// this login.
func (p *provider) exchange(ctx context.Context, code, verifier, nonce string) (*user, error) {
	read, err := p.describe(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*providerTimeout)
	defer cancel()
	tokens, err := p.flow(read).Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		if refusal, is := errors.AsType[*oauth2.RetrieveError](err); is &&
			refusal.Response.StatusCode < http.StatusInternalServerError {
			return nil, fmt.Errorf("%w: it refuses the code: %s %s", errRefused, refusal.ErrorCode,
				refusal.ErrorDescription)
		}
		return nil, fmt.Errorf("%w: %w", errProvider, err)
	}
	raw, has := tokens.Extra("id_token").(string)
	if !has {
		return nil, fmt.Errorf("%w: it has no ID token", errRefused)
	}
	id, err := read.VerifierContext(oidc.ClientContext(context.WithoutCancel(ctx), p.client),
		&oidc.Config{ClientID: p.settings.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	if id.Nonce != nonce {
		return nil, fmt.Errorf("%w: its ID token belongs to another login", errRefused)
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, fmt.Errorf("%w: %w", errRefused, err)
		}
	}
	u := &user{subject: id.Subject, claims: map[string]any{}}
	if err := id.Claims(&u.claims); err != nil {
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	if err := p.more(ctx, read, tokens, u); err != nil {
		return nil, err
	}
	u.name = nameOf(u.claims, u.subject)
	return u, nil
}

// more adds the claims of the provider's userinfo endpoint if the claims in the ID token are not
// sufficient for the rules. The claims of the ID token, which is signed, take precedence.
func (p *provider) more(ctx context.Context, read *oidc.Provider, tokens *oauth2.Token, u *user) error {
	missing := false
	for _, r := range p.settings.Rules {
		missing = missing || claim(u.claims, r.Claim) == nil
	}
	if !missing || read.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := read.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return fmt.Errorf("%w: %w", errProvider, err)
	}
	if info.Subject != u.subject {
		return fmt.Errorf("%w: its userinfo belongs to another user", errRefused)
	}
	var claims map[string]any
	if err := info.Claims(&claims); err != nil {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	for name, value := range claims {
		if _, has := u.claims[name]; !has {
			u.claims[name] = value
		}
	}
	return nil
}

// nameOf returns the name of a user for display.
func nameOf(claims map[string]any, subject string) string {
	for _, name := range []string{"name", "preferred_username", "email"} {
		if text, is := claims[name].(string); is && printable(text) {
			return text
		}
	}
	if printable(subject) {
		return subject
	}
	return "unnamed"
}
