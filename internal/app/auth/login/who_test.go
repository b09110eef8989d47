package login_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/login"
)

// What a user makes carries the id of the user at the provider, or of the token that was exchanged
// for the login: a later login is of the same one.
func TestWhoIsTheSameInEveryLogin(t *testing.T) {
	r := newRig(t, login.Settings{}, true)
	token, text := r.tokenOf(access.Admin)
	for _, tc := range []struct {
		browser func() *browser
		want    string
	}{
		{func() *browser { b := r.browser(); b.logIn("ann"); return b }, "ann"},
		{func() *browser { return r.withToken(text) }, token.ID},
	} {
		for range 2 {
			var made access.Token
			a := tc.browser().page("POST", "/v1/tokens", `{"name":"made","scopes":["read"]}`)
			if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.code != http.StatusCreated {
				t.Fatalf("%v: %d %s", err, a.code, a.body)
			}
			if made.CreatedBy != tc.want {
				t.Errorf("made by %q, want %q", made.CreatedBy, tc.want)
			}
		}
	}
}
