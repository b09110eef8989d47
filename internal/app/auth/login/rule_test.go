package login

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"groups=team-a:tenant=team-a,scopes=read,read:raw":         "groups team-a team-a [read read:raw]",
		"groups=cn=a,ou=b:c:tenant=t,scopes=admin":                 "groups cn=a,ou=b:c t [admin]",
		"https://x.example/roles=root:tenant=*,scopes=admin":       "https://x.example/roles root * [admin]",
		"groups=:tenant=x:tenant=y,scopes=bill":                    "groups :tenant=x y [bill]",
		"realm_access.roles=über uns:tenant=default,scopes=record": "realm_access.roles über uns default [record]",
	} {
		r, err := ParseRule(text)
		if got := fmt.Sprintf("%s %s %s %v", r.Claim, r.Value, r.Tenant, r.Scopes); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for text, why := range map[string]string{
		"":                                    "no claim",
		"groups":                              "no claim",
		"=a:tenant=t,scopes=read":             "no claim",
		"groups=:tenant=t,scopes=read":        "no claim's value",
		"groups=a":                            "no claim's value",
		"groups=a:tenant=t":                   "no \",scopes=\"",
		"groups=a:tenant=t,scopes=":           "no scope",
		"groups=a:tenant=t,scopes=read,write": "no scope \"write\"",
		"groups=a:tenant=,scopes=read":        "tenant",
		"groups=a:tenant=a b,scopes=read":     "tenant",
		"groups=a:tenant=*,scopes=read":       "scope admin only",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestClaims(t *testing.T) {
	var claims map[string]any
	if err := json.Unmarshal([]byte(`{"groups":["a","b",3,true,["c"],{"d":1}],"one":"a","yes":true,"n":7,"a.b":"dots","x":{"y.z":{"w":"deep"}},"null":null}`), &claims); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"groups": "[a b 3 true]", "one": "[a]", "yes": "[true]", "n": "[7]", "a.b": "[dots]", "x.y.z.w": "[deep]", "null": "[]", "none": "[]", "x": "[]", "one.a": "[]"} {
		if got := fmt.Sprint(values(claim(claims, name))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Settings that cannot work are refused with the flag that is at fault.
func TestSettings(t *testing.T) {
	public, err := ParsePublic("https://deck.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := ParsePublic("http://deck.example.com")
	rules := []Rule{{Claim: "groups", Value: "a"}}
	good := Settings{Public: public, Issuer: "https://login.example.com/x", ClientID: "c", Rules: rules}
	if err := good.Check(); err != nil || good.Life != DefaultLife || good.Idle != DefaultIdle {
		t.Errorf("%v, %v, %v", err, good.Life, good.Idle)
	}
	for want, s := range map[string]Settings{
		"--oidc-issuer \"login.example.com\"":     {Public: public, Issuer: "login.example.com", ClientID: "c", Rules: rules},
		"beyond loopback must be called by https": {Public: public, Issuer: "http://login.example.com", ClientID: "c", Rules: rules},
		"needs --oidc-client-id":                  {Public: public, Issuer: good.Issuer, Rules: rules},
		"needs --oidc-grant":                      {Public: public, Issuer: good.Issuer, ClientID: "c"},
		"needs --public-url":                      {Issuer: good.Issuer, ClientID: "c", Rules: rules},
		"logins beyond loopback need https":       {Public: plain, Issuer: good.Issuer, ClientID: "c", Rules: rules},
		"go with --oidc-issuer":                   {ClientID: "c"},
		"--login-life 1m0s":                       {Life: time.Minute},
		"--login-idle 1h0m1s is above":            {Life: time.Hour, Idle: time.Hour + time.Second},
		"--login-idle 1h0m0s is above":            {Life: 30 * time.Minute}, // the default
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, text := range []string{"deck.example.com", "https://deck.example.com/below", "ftp://x", "https://u:p@x", "https://x?y", ""} {
		if u, err := ParsePublic(text); err == nil {
			t.Errorf("%q is %v", text, u)
		}
	}
}
