package login

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	hostileSecret = "secret-of-the-client"
	hostileNonce  = "nonce-of-this-login"
	hostileAccess = "access-token"
)

// hostile is a provider that answers what a test says.
type hostile struct {
	t        *testing.T
	server   *httptest.Server
	key      *rsa.PrivateKey
	describe map[string]any // changes of the description
	token    string         // the ID token
	userinfo map[string]any
	endless  string       // the path of an answer that never ends
	wrote    atomic.Int64 // bytes of it
}

func newHostile(t *testing.T) *hostile {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostile{t: t, key: key}
	h.server = httptest.NewServer(h)
	t.Cleanup(h.server.Close)
	return h
}

// ServeHTTP implements http.Handler.
func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == h.endless {
		piece := []byte(`{"x":"` + strings.Repeat("x", 1<<20))
		for {
			n, err := w.Write(piece)
			h.wrote.Add(int64(n))
			if err != nil {
				return
			}
			piece = piece[6:]
			piece = append(piece, "xxxxxx"...)
		}
	}
	var answer map[string]any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]any{
			"issuer": h.server.URL, "authorization_endpoint": h.server.URL + "/auth", "token_endpoint": h.server.URL + "/token", "jwks_uri": h.server.URL + "/keys",
			"userinfo_endpoint": h.server.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		}
		maps.Copy(answer, h.describe)
	case "/keys":
		answer = map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", "n": base64.RawURLEncoding.EncodeToString(h.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(h.key.E)).Bytes()),
		}}}
	case "/token":
		answer = map[string]any{"access_token": hostileAccess, "token_type": "Bearer", "expires_in": 60}
		if h.token != "" {
			answer["id_token"] = h.token
		}
	case "/userinfo":
		answer = h.userinfo
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		h.t.Error(err)
	}
}

// claims are those of a token that is accepted, with changes.
func (h *hostile) claims(changes map[string]any) map[string]any {
	c := map[string]any{
		"iss": h.server.URL, "sub": "ann", "aud": "tapedeck", "nonce": hostileNonce, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "groups": []string{"g"},
	}
	maps.Copy(c, changes)
	return c
}

// sign makes a token of claims.
func (h *hostile) sign(alg string, claims map[string]any, sign func(text []byte) []byte) string {
	h.t.Helper()
	head, err := json.Marshal(map[string]string{"alg": alg, "kid": "k", "typ": "JWT"})
	body, bad := json.Marshal(claims)
	if err := errors.Join(err, bad); err != nil {
		h.t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body)
	return text + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(text)))
}

func rs256(key *rsa.PrivateKey) func([]byte) []byte {
	return func(text []byte) []byte {
		sum := sha256.Sum256(text)
		signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			panic(err) // of a key that was made here
		}
		return signature
	}
}

func hs256(secret []byte) func([]byte) []byte {
	return func(text []byte) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write(text)
		return mac.Sum(nil)
	}
}

// exchange redeems a code, and returns who logged in.
func (h *hostile) exchange() (*user, error) {
	h.t.Helper()
	public, err := url.Parse("http://127.0.0.1:4600")
	if err != nil {
		h.t.Fatal(err)
	}
	rule, err := ParseRule("groups=g:tenant=team,scopes=read")
	if err != nil {
		h.t.Fatal(err)
	}
	p := newProvider(&Settings{Issuer: h.server.URL, ClientID: "tapedeck", Secret: hostileSecret, Public: public, Scopes: []string{"openid"}, Rules: []Rule{rule}})
	defer p.client.CloseIdleConnections()
	return p.exchange(h.t.Context(), "code", "verifier", hostileNonce)
}

// TestHostileTokens refuses ID tokens that are forged, of another login, or of another user.
func TestHostileTokens(t *testing.T) {
	h := newHostile(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&h.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	good := rs256(h.key)
	atHash := sha256.Sum256([]byte(hostileAccess))
	for name, c := range map[string]struct {
		token    string
		userinfo map[string]any
		accepted bool
	}{
		"a good one":                       {token: h.sign("RS256", h.claims(nil), good), accepted: true},
		"a good one, with at_hash":         {token: h.sign("RS256", h.claims(map[string]any{"at_hash": base64.RawURLEncoding.EncodeToString(atHash[:16])}), good), accepted: true},
		"none":                             {},
		"no JWT":                           {token: "x"},
		"without a signature":              {token: h.sign("none", h.claims(nil), func([]byte) []byte { return nil })},
		"signed with the client's secret":  {token: h.sign("HS256", h.claims(nil), hs256([]byte(hostileSecret)))},
		"signed with the public key":       {token: h.sign("HS256", h.claims(nil), hs256(public))},
		"signed by another key":            {token: h.sign("RS256", h.claims(nil), rs256(other))},
		"claims changed after the signing": {token: changed(h.sign("RS256", h.claims(nil), good), h.sign("RS256", h.claims(map[string]any{"sub": "root"}), good))},
		"of another issuer":                {token: h.sign("RS256", h.claims(map[string]any{"iss": "https://evil.example.com"}), good)},
		"for another client":               {token: h.sign("RS256", h.claims(map[string]any{"aud": "another"}), good)},
		"expired":                          {token: h.sign("RS256", h.claims(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), good)},
		"not valid yet":                    {token: h.sign("RS256", h.claims(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), good)},
		"of another login":                 {token: h.sign("RS256", h.claims(map[string]any{"nonce": "another"}), good)},
		"without a nonce":                  {token: h.sign("RS256", h.claims(map[string]any{"nonce": nil}), good)},
		"with another access token":        {token: h.sign("RS256", h.claims(map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}), good)},
		"claims of another user": {
			token: h.sign("RS256", h.claims(map[string]any{"groups": nil}), good), userinfo: map[string]any{"sub": "bob", "groups": []string{"g"}},
		},
	} {
		h.token, h.userinfo = c.token, c.userinfo
		u, err := h.exchange()
		if c.accepted && (err != nil || u.subject != "ann") || !c.accepted && !errors.Is(err, errRefused) {
			t.Errorf("%s: %+v, %v", name, u, err)
		}
		if err != nil && (strings.Contains(err.Error(), hostileSecret) || strings.Contains(err.Error(), hostileAccess)) {
			t.Errorf("%s: the error has a secret: %v", name, err)
		}
	}
}

// changed returns the first token with the claims of the second.
func changed(first, second string) string {
	a, b := strings.Split(first, "."), strings.Split(second, ".")
	return a[0] + "." + b[1] + "." + a[2]
}

// TestHostileDescription refuses the description of another issuer.
func TestHostileDescription(t *testing.T) {
	h := newHostile(t)
	h.token = h.sign("RS256", h.claims(nil), rs256(h.key))
	h.describe = map[string]any{"issuer": "https://evil.example.com"}
	if u, err := h.exchange(); !errors.Is(err, errProvider) {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestEndlessAnswers reads a bounded part of answers that never end.
func TestEndlessAnswers(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/keys", "/token", "/userinfo"} {
		t.Run(path[1:], func(t *testing.T) {
			h := newHostile(t)
			h.token = h.sign("RS256", h.claims(map[string]any{"groups": nil}), rs256(h.key))
			h.endless = path
			u, err := h.exchange()
			if !errors.Is(err, errProvider) && !errors.Is(err, errRefused) {
				t.Errorf("%+v, %v", u, err)
			}
			const most = 32 << 20 // what the sockets hold, beside the 1 MiB that is read
			if n := h.wrote.Load(); n > most {
				t.Errorf("%d bytes were taken", n)
			}
			if text := fmt.Sprint(err); len(text) > 4096 {
				t.Errorf("the error has %d bytes", len(text))
			}
		})
	}
}
