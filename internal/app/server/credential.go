package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
)

// ticketParameter is the query parameter with a ticket.
const ticketParameter = "ticket"

// credential is the credential of a request: a token or shared link, a ticket, or the cookie of a
// login.
type credential struct {
	kind access.Kind
	text string // "" if there is none
	// ticket is set if the credential is a ticket in the query, from which it is removed.
	ticket bool
}

// credentialOf returns the credential of a request. A credential in the header takes precedence: a
// page that sends a token does not use the login of its browser.
func (s *Server) credentialOf(r *http.Request, route string) credential {
	if text := tokenOf(r, route); text != "" {
		if strings.HasPrefix(text, access.SharePrefix) {
			return credential{kind: access.KindShare, text: text}
		}
		return credential{kind: access.KindToken, text: text}
	}
	if text := r.URL.Query().Get(ticketParameter); strings.HasPrefix(text, access.TicketPrefix) {
		return credential{text: text, ticket: true}
	}
	return credential{kind: access.KindUser, text: s.Logins.TextOf(r)}
}

// accept checks a credential. tenant is not "" if the credential determines it.
func (s *Server) accept(ctx context.Context, c credential, r *http.Request) (_ context.Context, p *access.Principal, tenant string, done func(), err error) {
	switch {
	case c.ticket:
		t, err := s.Tickets.Take(ctx, c.text)
		if err != nil {
			return ctx, nil, "", nil, ticketRefusal(err)
		}
		if t.Path != r.URL.EscapedPath() || r.Method != http.MethodGet {
			return ctx, nil, "", nil, &access.Refusal{Reason: errOtherPath}
		}
		ctx, p, done, err := s.acceptID(ctx, t.Kind, t.ID)
		// The login has selected another tenant.
		if err == nil && p.Tenant != access.AllTenants && p.Tenant != t.Tenant {
			done()
			return ctx, nil, "", nil, &access.Refusal{Reason: errOtherPath}
		}
		return ctx, p, t.Tenant, done, err
	case c.kind == access.KindShare:
		ctx, p, done, err = s.Shares.Accept(ctx, c.text)
	case c.kind == access.KindUser:
		ctx, p, done, err = s.Logins.Accept(ctx, c.text)
	default:
		ctx, p, done, err = s.Tokens.Accept(ctx, c.text)
	}
	return ctx, p, "", done, err
}

// acceptID checks again a credential that was accepted before.
func (s *Server) acceptID(ctx context.Context, kind access.Kind, id string) (context.Context, *access.Principal, func(), error) {
	switch kind {
	case access.KindUser:
		return s.Logins.AcceptID(ctx, id)
	case access.KindShare:
		return s.Shares.AcceptID(ctx, id)
	}
	return s.Tokens.AcceptID(ctx, id)
}

// lasting returns a context that ends when the principal of a request becomes invalid, for a
// connection that outlives its request.
func (s *Server) lasting(r *http.Request) (context.Context, func()) {
	leave := keepSlot(r)
	if s.Tokens == nil {
		return context.Background(), leave
	}
	p := access.From(r.Context())
	ctx, _, done, err := s.acceptID(context.Background(), p.Kind, p.ID)
	if err != nil { // the credential was revoked meanwhile
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, leave
	}
	return ctx, func() { done(); leave() }
}

// inURL returns a problem for a request with a credential other than a ticket in its URL, since
// URLs are stored in logs, histories and referrers.
func inURL(u *url.URL) *problem.Problem {
	for segment := range strings.SplitSeq(u.Path, "/") {
		if access.IsCredential(segment) {
			return tokenInURL("")
		}
	}
	for name, values := range u.Query() {
		if access.IsCredential(name) {
			return tokenInURL("")
		}
		for _, v := range values {
			if access.IsCredential(v) && (name != ticketParameter || !strings.HasPrefix(v, access.TicketPrefix)) {
				return tokenInURL(name)
			}
		}
	}
	return nil
}

func tokenInURL(parameter string) *problem.Problem {
	return &problem.Problem{
		Title: "Token in a URL", Status: http.StatusBadRequest, Parameter: parameter,
		Detail: "A URL is stored in logs and histories, so this server takes no token from one.",
		Hint: "Send it as \"Authorization: Bearer td_…\", or take a ticket from POST /v1/tickets for a client " +
			"that cannot. Revoke this token: it may be in a log now.",
	}
}

// withoutTicket returns a request without the ticket in its query, which handlers do not accept.
func withoutTicket(r *http.Request) *http.Request {
	u := *r.URL
	query := u.Query()
	query.Del(ticketParameter)
	u.RawQuery = query.Encode()
	other := r.WithContext(r.Context())
	other.URL = &u
	return other
}
