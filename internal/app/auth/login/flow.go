package login

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
)

// Paths of a login through an OpenID provider.
const (
	StartPath    = "/login/oidc"
	CallbackPath = "/login/callback"
)

const (
	flowLife   = 10 * time.Minute
	flowMost   = 10_000
	flowBucket = "TAPEDECK_LOGINS_OPEN"
)

// flow is a login in progress, stored under the state that the provider sends back.
type flow struct {
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // of PKCE
	Return   string `json:"return"`
	Browser  []byte `json:"browser"` // SHA-256 of its cookie
}

// ServeStart answers GET /login/oidc: it sends the browser to the provider.
func (l *Logins) ServeStart(w http.ResponseWriter, r *http.Request) {
	if l == nil || l.provider == nil {
		servePage(w, &problem.Problem{Title: "No OpenID provider", Status: http.StatusNotFound,
			Detail: "This server has no OpenID provider.",
			Hint:   "Log in with a token, or start the server with --oidc-issuer."})
		return
	}
	if bad := l.Settings.plain(r); bad != nil {
		servePage(w, bad)
		return
	}
	read, err := l.provider.describe(r.Context())
	if err != nil {
		l.failed(w, err)
		return
	}
	browser, f := rand.Text(), flow{Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Return: safeReturn(r.URL.Query().Get("return"))}
	sum := sha256.Sum256([]byte(browser))
	f.Browser = sum[:]
	state, _, err := l.flows.Put(r.Context(), f)
	if err != nil {
		l.failed(w, err)
		return
	}
	http.SetCookie(w, cookie(flowCookie, browser, l.Settings.secure(), flowLife))
	quiet(w)
	http.Redirect(
		w, r, l.provider.flow(read).AuthCodeURL(state, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)),
		http.StatusSeeOther,
	)
}

// ServeCallback answers GET /login/callback, to which the provider sends the browser back.
func (l *Logins) ServeCallback(w http.ResponseWriter, r *http.Request) {
	if l == nil || l.provider == nil {
		l.ServeStart(w, r)
		return
	}
	asked := r.URL.Query()
	var f flow
	err := l.flows.Take(r.Context(), asked.Get("state"), &f)
	if errors.Is(err, access.ErrTaken) {
		servePage(w, over("The login that this address belongs to was completed, is older than 10 minutes, or never began."))
		return
	}
	if err != nil {
		l.failed(w, err)
		return
	}
	sum := sha256.Sum256([]byte(valueOf(r, flowCookie)))
	if subtle.ConstantTimeCompare(sum[:], f.Browser) != 1 {
		servePage(w, over("The login that this address belongs to began in another browser."))
		return
	}
	clear(w, flowCookie, l.Settings.secure())
	if code := asked.Get("error"); code != "" {
		servePage(w, &problem.Problem{
			Title: "Not logged in", Status: http.StatusForbidden,
			Hint:   "Log in again, or ask the administrator of the provider.",
			Detail: "The OpenID provider refuses the login: " + clip(code+" "+asked.Get("error_description")) + ".",
		})
		return
	}
	u, err := l.provider.exchange(r.Context(), asked.Get("code"), f.Verifier, f.Nonce)
	if err != nil {
		l.failed(w, err)
		return
	}
	grants := grantsOf(l.Settings.Rules, u.claims)
	if len(grants) == 0 {
		l.denied(r, audit.Principal{Kind: string(access.KindUser), ID: u.subject, Name: u.name}, http.StatusForbidden)
		servePage(w, &problem.Problem{
			Title: "No access", Status: http.StatusForbidden,
			Detail: "You are logged in at the provider as " + clip(u.name) + ", but have no access to this server.",
			Hint: "An administrator of the server grants access by a group that --oidc-grant names. " +
				"If you were added to one, log in again.",
		})
		return
	}
	first := grants[0]
	request := access.Request{Name: shorten(u.name), Tenant: first.Tenant, Scopes: first.Scopes}
	login := access.Login{Issuer: l.Settings.Issuer, Subject: u.subject, Grants: grants}
	if _, err := l.begin(w, r, request, login, l.Settings.secure()); err != nil {
		l.failed(w, err)
		return
	}
	quiet(w)
	http.Redirect(w, r, l.Settings.Public.String()+f.Return, http.StatusSeeOther)
}

// over returns the problem for a callback without its login.
func over(detail string) *problem.Problem {
	return &problem.Problem{Title: "This login is over", Status: http.StatusBadRequest, Detail: detail,
		Hint: "Log in again."}
}

// failed responds with an error page if the provider or NATS does not answer, or if the provider's
// answer is invalid.
func (l *Logins) failed(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errRefused):
		l.log.Warn("login: a login was refused", "error", err)
		servePage(w, &problem.Problem{Title: "Not logged in", Status: http.StatusForbidden,
			Detail: "The answer of the OpenID provider was not accepted; the server's log says why.",
			Hint:   "Log in again."})
	case errors.Is(err, errProvider):
		l.log.Warn("login: the OpenID provider cannot be used", "issuer", l.Settings.Issuer, "error", err)
		servePage(w, &problem.Problem{
			Title: "The OpenID provider does not answer", Status: http.StatusBadGateway, RetryAfter: 5 * time.Second,
			Detail: "The provider at " + l.Settings.Issuer +
				" could not be reached, or did not answer as one; the server's log says why.",
			Hint: "Try again in a few minutes, or log in with a token.",
		})
	default:
		l.log.Error("login: a login failed", "error", err)
		servePage(w, &problem.Problem{Title: "Logins are not possible now",
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: "NATS, which keeps the logins, does not answer this server.",
			Hint:   "Try again in a few seconds; /readyz shows when the server is ready."})
	}
}
