package settings

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"time"

	"tapedeck/internal/app/auth/login"
	"tapedeck/internal/commandline"
)

// Logins are the settings of logins in browsers.
type Logins struct {
	PublicURL        string        `help:"With --tokens: the address by which browsers call the server, if a proxy is before it." name:"public-url" env:"TAPEDECK_PUBLIC_URL" placeholder:"URL"`
	AllowOrigin      []string      `help:"An origin whose pages may call the API, like https://ui.example.com; may be repeated. With --tokens the pages need a token, without it they may only read and play." env:"TAPEDECK_ALLOW_ORIGIN" placeholder:"ORIGIN"`
	LoginLife        time.Duration `help:"How long a login in a browser is valid." default:"12h" min:">0" env:"TAPEDECK_LOGIN_LIFE" placeholder:"D"`
	LoginIdle        time.Duration `help:"How long a login may be unused, at most as long as it is valid." default:"1h" min:">0" env:"TAPEDECK_LOGIN_IDLE" placeholder:"D"`
	OIDCIssuer       string        `help:"With --tokens and --public-url: the OpenID provider by which people log in, by its issuer." name:"oidc-issuer" env:"TAPEDECK_OIDC_ISSUER" placeholder:"URL"`
	OIDCClientID     string        `help:"The name under which the provider knows this server. It is to send browsers back to /login/callback below --public-url." name:"oidc-client-id" env:"TAPEDECK_OIDC_CLIENT_ID" placeholder:"ID"`
	OIDCClientSecret string        `help:"File with the secret that the provider has for this server; none for a public client." name:"oidc-client-secret-file" env:"TAPEDECK_OIDC_CLIENT_SECRET_FILE" type:"path" placeholder:"FILE"`
	OIDCScopes       []string      `help:"Scopes to request from the provider." name:"oidc-scopes" default:"openid,profile,email" env:"TAPEDECK_OIDC_SCOPES" placeholder:"SCOPE,…"`
	OIDCGrant        []string      `help:"What the users with a value of a claim may do, as CLAIM=VALUE:tenant=TENANT,scopes=SCOPE,…, like groups=team-a:tenant=team-a,scopes=read,read:raw; several by semicolons, or the flag repeated." name:"oidc-grant" env:"TAPEDECK_OIDC_GRANT" placeholder:"GRANT" sep:";"`
}

// clientSecret is the environment variable with the secret, which --oidc-client-secret-file reads
// from a file.
const clientSecret = "TAPEDECK_OIDC_CLIENT_SECRET"

// LoginSettings returns the settings of logins.
func (f *Logins) LoginSettings(tokens bool) (login.Settings, error) {
	s := login.Settings{Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, Life: f.LoginLife, Idle: f.LoginIdle}
	var wrong []error
	for _, o := range f.AllowOrigin {
		if u, err := url.Parse(o); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != o {
			wrong = append(wrong, commandline.Errorf("--allow-origin %q: it must be a scheme, a host and a port at most, like https://ui.example.com", o))
		}
	}
	if !tokens {
		for name, given := range map[string]bool{"public-url": f.PublicURL != "", "oidc-issuer": f.OIDCIssuer != "",
			"oidc-client-id": f.OIDCClientID != "", "oidc-client-secret-file": f.OIDCClientSecret != "", "oidc-grant": len(f.OIDCGrant) > 0} {
			if given {
				wrong = append(wrong, commandline.Errorf("--%s goes with --tokens: set --tokens, or leave it out", name))
			}
		}
		wrong = append(wrong, commandline.As(s.CheckTimes()))
		return s, errors.Join(wrong...)
	}
	var err error
	if f.PublicURL != "" {
		if s.Public, err = login.ParsePublic(f.PublicURL); err != nil {
			wrong = append(wrong, commandline.Errorf("--public-url %w", err))
		}
	}
	for _, text := range f.OIDCGrant {
		r, err := login.ParseRule(text)
		if err != nil {
			wrong = append(wrong, commandline.Errorf("--oidc-grant %w", err))
		}
		s.Rules = append(s.Rules, r)
	}
	if s.Secret, err = f.secret(); err != nil {
		wrong = append(wrong, err)
	}
	s.Scopes = f.OIDCScopes
	if !slices.Contains(s.Scopes, "openid") {
		s.Scopes = append([]string{"openid"}, s.Scopes...)
	}
	if len(wrong) == 0 { // otherwise the check may overlook an error
		wrong = flatten(commandline.As(s.Check()))
	}
	return s, errors.Join(wrong...)
}

// secret returns the secret of this server at the provider.
func (f *Logins) secret() (string, error) {
	text := os.Getenv(clientSecret)
	if f.OIDCClientSecret == "" {
		return text, nil
	}
	if text != "" {
		return "", commandline.Errorf("--oidc-client-secret-file and %s are both set; use one", clientSecret)
	}
	return ReadSecret("--oidc-client-secret-file", f.OIDCClientSecret)
}
